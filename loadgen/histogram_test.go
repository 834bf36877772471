package loadgen

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestHistogramRoundTrip(t *testing.T) {
	h := NewHistogram()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		if err := h.RecordValue(rng.Int64N(int64(histogramMax))); err != nil {
			t.Fatal(err)
		}
	}
	s, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeHistogram(s)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equals(h) {
		t.Error("the decoded histogram is not the encoded one")
	}
}

func TestDecodeRefusesOtherHistograms(t *testing.T) {
	other, err := EncodeHistogram(hdrhistogram.New(1, 1_000_000, 2))
	if err != nil {
		t.Fatal(err)
	}
	for story, s := range map[string]string{
		"another range": other, "nothing": "", "no base64": "***", "not a histogram": "aGVsbG8gd29ybGQ=",
	} {
		if _, err := DecodeHistogram(s); err == nil {
			t.Errorf("%s is taken for a histogram", story)
		}
	}
}

func FuzzDecodeHistogram(f *testing.F) {
	h := NewHistogram()
	for _, v := range []int64{0, 1, 1000, int64(time.Second)} {
		if err := h.RecordValue(v); err != nil {
			f.Fatal(err)
		}
	}
	s, err := EncodeHistogram(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s)
	f.Add(s[:len(s)/2])
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := DecodeHistogram(s)
		if err != nil {
			return
		}
		again, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeHistogram(again); err != nil || !back.Equals(h) {
			t.Fatalf("decoded, encoded and decoded it is another one: %v", err)
		}
	})
}

// sampleOf is an answered stream with the given service time in nanoseconds.
func sampleOf(seq, service int64) *sample {
	return &sample{
		seq: seq, end: 1000 + service, last: 900 + service, gaps: []int64{service / 3, service / 4},
		rec: contract.ClientRecord{
			ID: uint64(seq + 1), Intended: 400, Sent: 1000, FirstByte: 1000 + service/10, FirstContent: 1000 + service/5,
			LastByte: 1000 + service, Frames: 3, Status: 200, Streamed: true,
		},
	}
}

// What is recorded over several shards and merged is what one shard records.
func TestMergedShardsEqualTheWhole(t *testing.T) {
	whole := &run{shards: []*shard{new(shard)}, req: &rendered{}}
	parts := &run{shards: []*shard{new(shard), new(shard), new(shard)}, req: &rendered{}}
	for i := range int64(1000) {
		x := sampleOf(i, 1000+i*i*100)
		if i%7 == 0 {
			x.rec.Outcome = contract.ShortBody
		}
		for _, r := range []*run{whole, parts} {
			r.shards[i%int64(len(r.shards))].add(x, true, nil)
		}
	}
	a, err := whole.result(false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := parts.result(false)
	if err != nil {
		t.Fatal(err)
	}
	if a.Scheduled != 1000 || b.Scheduled != 1000 || a.Finished != b.Finished {
		t.Errorf("scheduled %d and %d, finished %d and %d", a.Scheduled, b.Scheduled, a.Finished, b.Finished)
	}
	for _, l := range slots {
		ha, errA := a.Histogram(l)
		hb, errB := b.Histogram(l)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !ha.Equals(hb) {
			t.Errorf("%s differs", l)
		}
		if l != ServicePlain && ha.TotalCount() == 0 {
			t.Errorf("%s is empty", l)
		}
	}
}

func TestAValueOutOfRangeFailsTheRun(t *testing.T) {
	for story, service := range map[string]int64{
		"longer than ten minutes":  int64(11 * time.Minute),
		"ended before it was sent": -5,
	} {
		t.Run(story, func(t *testing.T) {
			r := &run{shards: []*shard{new(shard)}, req: &rendered{url: "http://x/"}}
			r.shards[0].add(sampleOf(0, 1000), false, nil)
			r.shards[0].add(sampleOf(1, service), false, nil)
			res, err := r.result(false)
			if err == nil || len(res.Errors) != 1 {
				t.Errorf("error %v, errors of the result %q", err, res.Errors)
			}
		})
	}
}
