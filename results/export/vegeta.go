package export

import (
	"fmt"
	"io"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Origin ties the monotonic clock of the records to the time of day.
type Origin struct {
	MonotonicNs int64     // a reading of CLOCK_MONOTONIC …
	Wall        time.Time // … and the time of day at that reading
}

// VegetaJSON writes records as vegeta's JSON results, for "vegeta report",
// "plot" and "encode". Latency is service time, as vegeta's is. Requests that
// were never sent are left out.
func VegetaJSON(w io.Writer, records []contract.ClientRecord, o Origin) error {
	return encodeVegeta(vegeta.NewJSONEncoder(w), records, o)
}

// VegetaCSV writes records as vegeta's CSV results.
func VegetaCSV(w io.Writer, records []contract.ClientRecord, o Origin) error {
	return encodeVegeta(vegeta.NewCSVEncoder(w), records, o)
}

func encodeVegeta(encode vegeta.Encoder, records []contract.ClientRecord, o Origin) error {
	seq := uint64(0)
	for i := range records {
		r := &records[i]
		if r.Sent == 0 {
			continue
		}
		res := vegeta.Result{
			Attack:    "tollgate",
			Seq:       seq,
			Code:      r.Status,
			Timestamp: o.Wall.Add(time.Duration(r.Sent - o.MonotonicNs)).UTC(),
		}
		if r.LastByte != 0 {
			res.Latency = time.Duration(r.LastByte - r.Sent)
		}
		// Vegeta counts a result with an error as failed, whatever its code.
		if r.Outcome.Failed() {
			res.Error = r.Outcome.String()
		}
		if err := encode(&res); err != nil {
			return fmt.Errorf("export vegeta results: request %016x: %w", r.ID, err)
		}
		seq++
	}
	return nil
}
