package worker

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessageRoundTrip(t *testing.T) {
	var b bytes.Buffer
	want := &message{Slot: 3, Count: 4, Files: 2, Payload: []byte("workers: 4\n\x00")}
	if err := writeMessage(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := readMessage(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzReadMessage: whatever comes through the pipe is a message that makes sense
// or an error.
func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x1c{\"slot\":0,\"count\":1,\"files\":0}"))
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
		if err == nil && (m.Slot < 0 || m.Slot >= m.Count || m.Files < 0) {
			t.Errorf("%+v", m)
		}
	})
}
