package host

import (
	"runtime"
	"testing"
)

func TestTexts(t *testing.T) {
	if got := field("processor\t: 0\nmodel name\t: AMD EPYC 7B13\nmodel name\t: other\n", "model name"); got != "AMD EPYC 7B13" {
		t.Errorf("model %q", got)
	}
	if got := memTotal("MemTotal:       24576 kB\nMemFree: 1 kB\n"); got != 24576<<10 {
		t.Errorf("memory %d", got)
	}
	for in, want := range map[string]int64{"max 100000\n": 0, "150000 100000\n": 1500, "": 0, "x y": 0, "5 0": 0} {
		if got := quotaMilli(in); got != want {
			t.Errorf("quota of %q = %d, want %d", in, got, want)
		}
	}
	if got := distribution("NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n"); got != "Some Linux 12" {
		t.Errorf("distribution %q", got)
	}
}

func TestFingerprint(t *testing.T) {
	f := Fingerprint()
	if f.CPUs != runtime.NumCPU() || f.Go != runtime.Version() || f.OS == "" {
		t.Errorf("%+v", f)
	}
	if d := f.Differences(&f); len(d) > 0 {
		t.Errorf("a host differs from itself: %v", d)
	}
}

func TestHashNamesNoHost(t *testing.T) {
	if Hash("a") == Hash("b") || len(Hash("a")) != 12 {
		t.Errorf("%q %q", Hash("a"), Hash("b"))
	}
}
