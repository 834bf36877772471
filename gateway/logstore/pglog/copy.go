package pglog

import (
	"encoding/binary"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// copySQL and appendCopy name the same columns in the same order.
const copySQL = "COPY tollgate_log_rows (seq, started_ns, ttfb_ns, total_ns, prompt_tok, output_tok, cost_nano, bytes_in, bytes_out," +
	" incarnation, label, status, outcome, stream, estimated, request_id) FROM STDIN (FORMAT binary)"

const copyColumns = 16

// copyHead begins a binary COPY: signature, flags, length of the extension
// (PostgreSQL manual, COPY, "Binary Format").
const copyHead = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// appendCopy appends the whole COPY of rows to b.
func appendCopy(b []byte, rows []logrow.Row, incar int32, labels []int64) []byte {
	b = append(b, copyHead...)
	for i := range rows {
		r := &rows[i]
		b = binary.BigEndian.AppendUint16(b, copyColumns)
		for _, v := range [...]int64{
			r.Seq, r.StartedNs, r.TTFBNs, r.TotalNs, r.PromptTok, r.OutputTok, r.CostNano, r.BytesIn, r.BytesOut,
		} {
			b = append(b, 0, 0, 0, 8)
			b = binary.BigEndian.AppendUint64(b, uint64(v))
		}
		b = append(b, 0, 0, 0, 4)
		b = binary.BigEndian.AppendUint32(b, uint32(incar))
		b = append(b, 0, 0, 0, 4)
		b = binary.BigEndian.AppendUint32(b, uint32(labels[i]))
		b = append(b, 0, 0, 0, 2)
		b = binary.BigEndian.AppendUint16(b, uint16(r.Status))
		b = append(b, 0, 0, 0, 2, 0, byte(r.Outcome))
		b = append(b, 0, 0, 0, 1, bit(r.Stream))
		b = append(b, 0, 0, 0, 1, bit(r.Estimated))
		b = append(b, 0, 0, 0, r.RequestIDLen)
		b = append(b, r.ID()...)
	}
	return append(b, 0xff, 0xff)
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}
