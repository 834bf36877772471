package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "runs")
	w, err := Create(parent, header("20260314T092653Z-host-0123"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Run{Header: *header("20260314T092653Z-host-0123"), Final: &Final{Finished: epoch.Add(time.Minute), Status: Complete}}
	for block := range 3 {
		r := repetition(t, cell("bodies", 50), block)
		want.Repetitions = append(want.Repetitions, *r)
		if err := w.Repetition(r); err != nil {
			t.Fatal(err)
		}
	}
	s := Section{Cell: cell("boot", 0), Started: epoch, Finished: epoch, Boot: &Boot{HealthzNs: 12e6, Processes: 1}}
	want.Sections = append(want.Sections, s)
	if err := w.Section(&s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(want.Final); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read differs from written (-want +got):\n%s", diff)
	}
	if err := w.Section(&s); err == nil {
		t.Error("a closed run took a record")
	}
	if err := w.Close(want.Final); err == nil {
		t.Error("a run was closed twice")
	}
	if _, err := Create(parent, header("20260314T092653Z-host-0123")); !errors.Is(err, os.ErrExist) {
		t.Errorf("a run was created over another: %v", err)
	}
}

// What a killed writer leaves is everything appended so far.
func TestRecordsAreOnDiskBeforeClose(t *testing.T) {
	w, err := Create(t.TempDir(), header("run"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(&Final{Status: Interrupted})
	if err := w.Repetition(repetition(t, cell("bodies", 50), 0)); err != nil {
		t.Fatal(err)
	}
	run, err := ReadFile(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Repetitions) != 1 || run.Final != nil {
		t.Errorf("%d repetitions, final %v; want 1 and none", len(run.Repetitions), run.Final)
	}
	if !strings.Contains(strings.Join(run.Warnings, "\n"), "cut off") {
		t.Errorf("no warning that the run was cut off: %q", run.Warnings)
	}
}

func TestAppendsFromManyGoroutines(t *testing.T) {
	w, err := Create(t.TempDir(), header("run"))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for g := range 8 {
		r := repetition(t, cell("bodies", g+1), g)
		group.Go(func() {
			for range 20 {
				if err := w.Repetition(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := w.Close(&Final{Status: Complete}); err != nil {
		t.Fatal(err)
	}
	run, err := ReadFile(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Repetitions) != 160 {
		t.Errorf("%d repetitions, want 160", len(run.Repetitions))
	}
}

// lines is a valid run, line by line.
func lines(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, r := range []Record{
		{Header: header("run")},
		{Repetition: repetition(t, cell("bodies", 50), 0)},
		{Section: &Section{Cell: cell("boot", 0), Boot: &Boot{HealthzNs: 1}}},
		{Final: &Final{Status: Complete}},
	} {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b)+"\n")
	}
	return out
}

func TestReadIsStrict(t *testing.T) {
	l := lines(t)
	head, rep, final := l[0], l[1], l[3]
	replace := func(s, old, with string) string {
		if !strings.Contains(s, old) {
			t.Fatalf("%q holds no %q", s, old)
		}
		return strings.Replace(s, old, with, 1)
	}
	for _, test := range []struct{ story, text, want string }{
		{"an empty file", "", "no header"},
		{"no header first", rep + head, "line 1: the first record is no header"},
		{"two headers", head + head, "line 2: a second header"},
		{"a record after the end", head + final + rep, "line 3: a record after the final one"},
		{"an unknown member", head + replace(rep, `"block"`, `"blok"`), `line 2: json: unknown field "blok"`},
		{"an unknown kind", head + `{"note":{}}` + "\n", `line 2: json: unknown field "note"`},
		{"two kinds in one record", head + strings.TrimSuffix(final, "}\n") + `,"section":{"cell":{"section":"s","shape":"external"},"boot":{}}}` + "\n", "exactly one of"},
		{"an empty record", head + "{}\n", "exactly one of"},
		{"an empty line", head + "\n", "line 2: EOF"},
		{"two values in a line", head + strings.TrimSuffix(rep, "\n") + rep, "more than one JSON value"},
		{"a torn line that is not the last", head + rep[:40] + "\n" + final, "line 2: unexpected EOF"},
		{"another version", replace(head, `"version":1`, `"version":2`), "schema version 2, this program reads 1"},
		{"another version with members unknown here", replace(head, `"version":1`, `"version":2,"weather":"fine"`), "schema version 2, this program reads 1"},
		{"an unknown outcome", head + replace(rep, `"reset"`, `"vanished"`), `unknown outcome "vanished"`},
		{"an unknown shape", head + replace(rep, `"external"`, `"orbit"`), `unknown shape "orbit"`},
		{"an unknown mark", head + replace(rep, `"block"`, `"marks":["odd"],"block"`), `unknown mark "odd"`},
		{"a skipped cell with figures", head + replace(rep, `"block"`, `"skipped":{"reason":"x"},"block"`), "a skipped cell has"},
		{"a final record of no status", head + replace(final, "complete", "perhaps"), `status "perhaps"`},
	} {
		t.Run(test.story, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A run cut at any byte reads as the records whose lines are whole.
func TestTornAtEveryByte(t *testing.T) {
	l := lines(t)
	whole := strings.Join(l, "")
	for n := len(l[0]); n <= len(whole); n++ {
		run, err := Read(strings.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(whole), err)
		}
		ends := strings.Count(whole[:n], "\n")
		got := 1 + len(run.Repetitions) + len(run.Sections)
		if run.Final != nil {
			got++
		}
		if got != ends {
			t.Fatalf("cut after %d bytes: %d records, want %d", n, got, ends)
		}
		if torn := whole[n-1] != '\n'; torn != strings.Contains(strings.Join(run.Warnings, "\n"), "torn") {
			t.Fatalf("cut after %d bytes: warnings %q", n, run.Warnings)
		}
	}
}

func FuzzRead(f *testing.F) {
	l := lines(f)
	f.Add([]byte(strings.Join(l, "")))
	f.Add([]byte(l[0] + l[1][:30]))
	f.Add([]byte(l[0] + l[3]))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		// What was read can be written, and reads the same.
		var b bytes.Buffer
		put := func(r *Record) {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		put(&Record{Header: &run.Header})
		for i := range run.Repetitions {
			put(&Record{Repetition: &run.Repetitions[i]})
		}
		for i := range run.Sections {
			put(&Record{Section: &run.Sections[i]})
		}
		if run.Final != nil {
			put(&Record{Final: run.Final})
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatalf("what was read does not read again: %v", err)
		}
		run.Warnings, again.Warnings = nil, nil
		first, _ := json.Marshal(run)
		second, _ := json.Marshal(again)
		if !bytes.Equal(first, second) {
			t.Fatalf("read again it differs:\n%s\n%s", first, second)
		}
		// Histograms are decoded only when asked for, and must not panic.
		for _, section := range run.SectionNames() {
			for _, s := range SeriesOf(run, section) {
				_, _ = s.Quantiles(ServiceTime, 50, 99)
			}
		}
	})
}

func FuzzHistogram(f *testing.F) {
	f.Add(string(encoded(f)))
	f.Add(string(encoded(f, 1, 1000, HistogramHighestNs)))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Histogram(text).Decode()
		if err != nil {
			return
		}
		again, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		back, err := again.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if !back.Equals(h) {
			t.Fatal("a histogram changes when it is encoded again")
		}
	})
}

func TestFolderName(t *testing.T) {
	got := FolderName(time.Date(2026, 3, 14, 10, 26, 53, 0, time.FixedZone("", 3600)), "my host/β", "0123456789abcdef")
	if want := "20260314T092653Z-my_host__-0123456789ab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{"", "..", ".hidden", "a/b"} {
		if _, err := Create(t.TempDir(), header(bad)); err == nil {
			t.Errorf("a run was created in folder %q", bad)
		}
	}
}

func TestFingerprintDifferences(t *testing.T) {
	a := header("a").Fingerprint
	if d := a.Differences(&a); len(d) != 0 {
		t.Errorf("a machine differs from itself: %q", d)
	}
	for _, edit := range []func(*Fingerprint){
		func(f *Fingerprint) { f.CPUModel = "other" },
		func(f *Fingerprint) { f.CPUs++ },
		func(f *Fingerprint) { f.Kernel = "6.2" },
		func(f *Fingerprint) { f.Go = "go1.27" },
		func(f *Fingerprint) { f.GOMAXPROCS++ },
		func(f *Fingerprint) { f.CPUQuotaMilli = 500 },
		func(f *Fingerprint) { f.Governor = "powersave" },
	} {
		b := a
		edit(&b)
		if d := a.Differences(&b); len(d) != 1 {
			t.Errorf("differences %q, want one", d)
		}
	}
	b := a
	b.MemoryBytes++
	if d := a.Differences(&b); len(d) != 0 {
		t.Errorf("memory forbids no comparison: %q", d)
	}
}

func TestAudit(t *testing.T) {
	var absent *Audit
	for want, a := range map[bool][]*Audit{
		true:  {{Checks: []Check{{Name: "a", OK: true}}}},
		false: {absent, {}, {Checks: []Check{{Name: "a", OK: true}, {Name: "b"}}}},
	} {
		for _, audit := range a {
			if audit.OK() != want {
				t.Errorf("OK of %s is %v", fmt.Sprint(audit), !want)
			}
		}
	}
}
