package sqlitelog

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

func unpacked(t *testing.T, b []byte) (rows []logrow.Row, labels []int64) {
	t.Helper()
	err := unpack(b, func(r *logrow.Row, label int64) error {
		rows, labels = append(rows, *r), append(labels, label)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, labels
}

func TestBlockGivesRowsBack(t *testing.T) {
	extreme := logrow.Row{
		Seq: math.MaxInt64, StartedNs: math.MinInt64, TTFBNs: -1, TotalNs: math.MaxInt64, Status: -5, Outcome: logrow.ClientLeft, Stream: true,
		Estimated: true, PromptTok: math.MinInt64, OutputTok: math.MaxInt64, CostNano: -1, BytesIn: math.MaxInt64, BytesOut: math.MinInt64,
	}
	in := []logrow.Row{{}, extreme, {Seq: 1, Status: 200, Outcome: logrow.Answered}, extreme}
	for i, id := range []string{"", strings.Repeat("z", logrow.MaxRequestID), "0123456789abcdef", "0123456789ABCDEF"} {
		in[i].SetID([]byte(id))
	}
	var p packer
	for range 2 { // a packer is used again
		p.begin()
		for i := range in {
			p.add(&in[i], int64(i)-1)
		}
		got, labels := unpacked(t, p.b)
		if len(got) != len(in) {
			t.Fatalf("%d rows, want %d", len(got), len(in))
		}
		for i := range in {
			if got[i] != in[i] || labels[i] != int64(i)-1 {
				t.Errorf("row %d: got %+v with label %d, want %+v", i, got[i], labels[i], in[i])
			}
		}
	}
	for n := 1; n < len(p.b); n++ { // every cut is a whole number of rows, or an error
		_ = unpack(p.b[:n], func(r *logrow.Row, _ int64) error {
			if *r != in[0] && *r != in[1] && *r != in[2] {
				t.Fatalf("cut at %d: a row that was not there: %+v", n, r)
			}
			return nil
		})
	}
}

// A row that is packed has at most maxPacked bytes, since its room is made
// before.
func TestPackedRowHasRoom(t *testing.T) {
	if maxPacked < 1+12*binary.MaxVarintLen64+1+logrow.MaxRequestID {
		t.Fatal("maxPacked is too small for the fields that are packed")
	}
}

func FuzzUnpack(f *testing.F) {
	var p packer
	p.begin()
	r := rows(1, 3)
	for i := range r {
		p.add(&r[i], 1)
	}
	f.Add(p.b)
	f.Add([]byte{blockVersion})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var got []logrow.Row
		var labels []int64
		if unpack(b, func(r *logrow.Row, label int64) error {
			got, labels = append(got, *r), append(labels, label)
			return nil
		}) != nil {
			return
		}
		// What was read packs again into the same rows.
		var again packer
		again.begin()
		for i := range got {
			again.add(&got[i], labels[i])
		}
		i := 0
		err := unpack(again.b, func(r *logrow.Row, label int64) error {
			if *r != got[i] || label != labels[i] {
				t.Fatalf("row %d: %+v, was %+v", i, *r, got[i])
			}
			i++
			return nil
		})
		if err != nil || i != len(got) {
			t.Fatalf("%d of %d rows: %v", i, len(got), err)
		}
	})
}
