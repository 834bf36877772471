package exchange

import "testing"

func TestDuration(t *testing.T) {
	const ms = int64(1e6)
	for _, tc := range []struct {
		ns   int64
		want string
	}{
		{-1, "0s"},
		{0, "0s"},
		{1, "1ms"},
		{20 * ms, "20ms"},
		{999*ms + 1, "1s"},
		{1000 * ms, "1s"},
		{1500 * ms, "1.5s"},
		{8640 * ms, "8.64s"},
		{59_999 * ms, "59.999s"},
		{60_000 * ms, "1m0s"},
		{360_000 * ms, "6m0s"},
		{90_050 * ms, "1m30.05s"},
		{3_600_250 * ms, "1h0m0.25s"},
		{90_061_000 * ms, "25h1m1s"},
	} {
		if got := string(appendDuration(nil, tc.ns)); got != tc.want {
			t.Errorf("%d ns: %s, want %s", tc.ns, got, tc.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for ns, want := range map[int64]int64{0: 1, 1: 1, 1e9: 1, 1e9 + 1: 2, 60e9: 60} {
		if got := seconds(ns); got != want {
			t.Errorf("%d ns: %d, want %d", ns, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, tc := range [][3]int64{{0, 5, 0}, {-1, 5, 0}, {7, 3, 21}, {1 << 40, 1 << 40, 1 << 53}, {1 << 53, 1, 1 << 53}} {
		if got := times(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%d times %d is %d", tc[0], tc[1], got)
		}
	}
}

// TestLargeBuffersAreNotKept: one large request must not make every pooled
// exchange large.
func TestLargeBuffersAreNotKept(t *testing.T) {
	x := &Exchange{}
	x.reset(&Core{})
	x.BodySpace(keepBytes + 1)
	x.hold = make([]byte, keepBytes+1)
	x.marks = make([]framed, keepBytes)
	x.arena = make([]byte, 100)
	x.trim()
	if x.body != nil || x.hold != nil || x.marks != nil || x.arena == nil {
		t.Errorf("kept %d, %d, %d, %d", cap(x.body), cap(x.hold), cap(x.marks), cap(x.arena))
	}
}

// TestEveryCauseIsWhole: each answer has a status, a reason, a type and a
// message, and renders as JSON of one line.
func TestEveryCauseIsWhole(t *testing.T) {
	for c := causeNone + 1; c < numCauses; c++ {
		f := &faults[c]
		if f.status < 400 || f.status > 599 || f.reason == "" || f.err.Type == "" || f.err.Message == "" || len(f.body) == 0 {
			t.Errorf("cause %d: %+v", c, f)
		}
	}
}
