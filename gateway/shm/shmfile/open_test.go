//go:build unix

package shmfile

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

var testLayout = LayoutOf("test/1")

// childFile makes the test binary a process that adds to the file it inherits
// until it is killed.
const childFile = "SHMFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childFile) != "" {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func child() error {
	m, err := Attach(os.NewFile(3, "inherited"), testLayout)
	if err != nil {
		return err
	}
	for i := range 1000 {
		atomic.AddInt64(m.Region.Word(i%m.Region.Len()), 1)
	}
	fmt.Println("added")
	select {} // until killed
}

func TestWordsSurviveAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	m, err := Open(path, 10, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childFile+"=1")
	cmd.ExtraFiles = []*os.File{m.File()}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "added\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	wantAll(t, m, 100)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, 10, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	wantAll(t, again, 100)
}

func wantAll(t *testing.T, m *Mapping, want int64) {
	t.Helper()
	for i := range m.Region.Len() {
		if got := m.Region.Load(i); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}

func TestTwoMappingsOfOneFileSeeEachOther(t *testing.T) {
	a, err := Anonymous(4, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	f, err := os.OpenFile(fmt.Sprintf("/dev/fd/%d", a.File().Fd()), os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no second descriptor of an unnamed file here: %v", err)
	}
	b, err := Attach(f, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	atomic.StoreInt64(a.Region.Word(3), 7)
	if got := b.Region.Load(3); got != 7 {
		t.Errorf("second mapping reads %d", got)
	}
	if !atomic.CompareAndSwapInt64(b.Region.Word(3), 7, 8) || a.Region.Load(3) != 8 {
		t.Errorf("first mapping reads %d", a.Region.Load(3))
	}
}

func TestASecondProcessIsKeptOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	m, err := Open(path, 4, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, 4, testLayout); !errors.Is(err, ErrInUse) {
		t.Errorf("second open: %v, want %v", err, ErrInUse)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m, err = Open(path, 4, testLayout)
	if err != nil {
		t.Fatalf("open after close: %v", err)
	}
	m.Close()
}

func TestReplaceKeepsWhatFillCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	m, err := Open(path, 2, testLayout)
	if err != nil {
		t.Fatal(err)
	}
	*m.Region.Word(1) = 42
	m, err = Replace(m, path, 5, testLayout, func(r *shm.Region) { *r.Word(4) = m.Region.Load(1) })
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Region.Len() != 5 || m.Region.Load(4) != 42 {
		t.Errorf("new file has %d words, word 4 = %d", m.Region.Len(), m.Region.Load(4))
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unfinished file is still there: %v", err)
	}
}

func TestForeignFilesAreRefusedAndLeftAlone(t *testing.T) {
	valid := func() []byte {
		path := filepath.Join(t.TempDir(), "state")
		m, err := Open(path, 2, testLayout)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}()
	with := func(at int, v byte) []byte {
		b := append([]byte(nil), valid...)
		b[at] = v
		return b
	}
	for _, tc := range []struct {
		story   string
		content []byte
		says    string
	}{
		{"somebody else's file", []byte(strings.Repeat("hello", 100)), "mark"},
		{"an emptied file", nil, "is empty"},
		{"a file too short for a header", []byte("tollgshm"), "read header"},
		{"a header of another version", with(8, 9), "header version 9"},
		{"words of another meaning", with(16, 0), "layout"},
		{"a file cut short", valid[:len(valid)-8], "bytes long"},
		{"a creation that was cut short", make([]byte, len(valid)), "mark"},
	} {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, tc.content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, 2, testLayout)
		if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %q, want it to name %s and say %q", tc.story, err, path, tc.says)
		}
		if after, _ := os.ReadFile(path); string(after) != string(tc.content) {
			t.Errorf("%s: the file was changed", tc.story)
		}
	}
}
