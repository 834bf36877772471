package worker

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
)

// Variable is set in a worker's environment, and in no other's.
const Variable = "TOLLGATE_WORKER"

// Inherited files, in the order of exec.Cmd.ExtraFiles.
const (
	fdJob = 3 + iota
	fdReady
	fdListener
	fdFiles // and following
)

// maxMessage bounds a job message: a config file, and some.
const maxMessage = 64 << 20

// message is what the supervisor tells a worker.
type message struct {
	Slot    int    `json:"slot"`
	Count   int    `json:"count"`
	Files   int    `json:"files"`
	Payload []byte `json:"payload"`
}

// Job is what a worker was started for.
type Job struct {
	Slot     int // from 0
	Count    int // workers in all
	Payload  []byte
	Listener net.Listener
	Files    []*os.File // those of Options.Files
	// Gone is closed when the supervisor has ended.
	Gone <-chan struct{}

	ready *os.File
}

// Inherit reads the job of a worker process; ok is false in any other process.
func Inherit() (j *Job, ok bool, err error) {
	if os.Getenv(Variable) == "" {
		return nil, false, nil
	}
	// A child of this process is no worker.
	if err := os.Unsetenv(Variable); err != nil {
		return nil, true, fmt.Errorf("inherit job: %w", err)
	}
	pipe := os.NewFile(fdJob, "job")
	if pipe == nil {
		return nil, true, fmt.Errorf("inherit job: %s is set, and no job was handed over: it is set by the supervisor only", Variable)
	}
	m, err := readMessage(pipe)
	if err != nil {
		return nil, true, fmt.Errorf("inherit job: %w", err)
	}
	socket := os.NewFile(fdListener, "listener")
	defer socket.Close()
	ln, err := net.FileListener(socket)
	if err != nil {
		return nil, true, fmt.Errorf("inherit listener of worker %d: %w", m.Slot, err)
	}
	j = &Job{Slot: m.Slot, Count: m.Count, Payload: m.Payload, Listener: ln, ready: os.NewFile(fdReady, "ready")}
	for i := range m.Files {
		j.Files = append(j.Files, os.NewFile(uintptr(fdFiles+i), "shared"))
	}
	gone := make(chan struct{})
	j.Gone = gone
	go func() {
		io.Copy(io.Discard, pipe) // ends when the other end is closed
		close(gone)
	}()
	return j, true, nil
}

// Ready tells the supervisor that this worker serves.
func (j *Job) Ready() error {
	if _, err := j.ready.Write([]byte{1}); err != nil {
		return fmt.Errorf("worker %d: say ready: %w", j.Slot, err)
	}
	return j.ready.Close()
}

func writeMessage(w io.Writer, m *message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

func readMessage(r io.Reader) (*message, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, fmt.Errorf("read job: %w", err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxMessage {
		return nil, fmt.Errorf("read job: %d bytes, more than %d", n, maxMessage)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("read job: %w", err)
	}
	m := new(message)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("read job: %w", err)
	}
	if m.Slot < 0 || m.Slot >= m.Count || m.Files < 0 || m.Files > 100 {
		return nil, fmt.Errorf("read job: slot %d of %d, %d files", m.Slot, m.Count, m.Files)
	}
	return m, nil
}
