package join

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func answered(id uint64, sent, last int64, streamed bool) contract.ClientRecord {
	return contract.ClientRecord{ID: id, Sent: sent, LastByte: last, Streamed: streamed, Outcome: contract.Answered}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		story   string
		records []contract.ClientRecord
		stamps  []contract.MockStamp
		want    map[string][]int64 // values by histogram, sorted
		joined  int64
		neg     int64
	}{
		{
			"a plain request: both legs and their sum",
			[]contract.ClientRecord{answered(1, 100, 200, false)},
			[]contract.MockStamp{{ID: 1, Received: 130, LastSent: 150}},
			map[string][]int64{results.TollRequestLeg: {30}, results.TollResponseLeg: {50}, results.Toll: {80}, results.TollPlain: {80}},
			1, 0,
		},
		{
			"a stream counts apart too",
			[]contract.ClientRecord{answered(1, 100, 200, true)},
			[]contract.MockStamp{{ID: 1, Received: 110, LastSent: 190}},
			map[string][]int64{results.TollRequestLeg: {10}, results.TollResponseLeg: {10}, results.Toll: {20}, results.TollStream: {20}},
			1, 0,
		},
		{
			"a retry: first received to last sent",
			[]contract.ClientRecord{answered(1, 100, 200, false)},
			[]contract.MockStamp{{ID: 1, Received: 150, LastSent: 160}, {ID: 1, Received: 120, LastSent: 130}},
			map[string][]int64{results.TollRequestLeg: {20}, results.TollResponseLeg: {40}, results.Toll: {60}, results.TollPlain: {60}},
			1, 0,
		},
		{
			"failed requests and strangers have no toll",
			[]contract.ClientRecord{{ID: 1, Sent: 1, LastByte: 2, Outcome: contract.Reset}, answered(2, 1, 9, false)},
			[]contract.MockStamp{{ID: 1, Received: 1, LastSent: 1}, {ID: 3, Received: 1, LastSent: 1}},
			map[string][]int64{},
			0, 0,
		},
		{
			"clocks that disagree are noticed",
			[]contract.ClientRecord{answered(1, 100, 200, false)},
			[]contract.MockStamp{{ID: 1, Received: 90, LastSent: 150}},
			map[string][]int64{results.TollRequestLeg: {1}, results.TollResponseLeg: {50}, results.Toll: {40}, results.TollPlain: {40}},
			1, 1,
		},
	} {
		t.Run(c.story, func(t *testing.T) {
			got := Join(c.records, c.stamps)
			if got.Joined != c.joined || got.Negative != c.neg {
				t.Errorf("joined %d, negative %d, want %d and %d", got.Joined, got.Negative, c.joined, c.neg)
			}
			enc, err := got.Histograms()
			if err != nil {
				t.Fatal(err)
			}
			values := make(map[string][]int64)
			for name, text := range enc {
				h, err := text.Decode()
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range h.Distribution() {
					for range b.Count {
						values[name] = append(values[name], b.From)
					}
				}
			}
			if d := cmp.Diff(c.want, values); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	if w := (&Tolls{Answered: 2, Joined: 1, Negative: 1}).Warnings(); len(w) != 2 {
		t.Errorf("%q", w)
	}
	if w := (&Tolls{Answered: 2, Joined: 2}).Warnings(); len(w) != 0 {
		t.Errorf("%q", w)
	}
}

func TestNearDelayedACK(t *testing.T) {
	for _, c := range []struct {
		toll int64
		want bool
	}{{100_000, false}, {40_500_000, true}, {80_000_000, false}} {
		got := Join([]contract.ClientRecord{answered(1, 1, c.toll+21, false)}, []contract.MockStamp{{ID: 1, Received: 11, LastSent: 21}})
		if got.NearDelayedACK() != c.want {
			t.Errorf("toll of %d ns: %v, want %v", c.toll, !c.want, c.want)
		}
	}
	if Join(nil, nil).NearDelayedACK() {
		t.Error("no request is near 40 ms")
	}
}
