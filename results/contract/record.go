package contract

import (
	"encoding/binary"
	"fmt"
	"io"
)

// ClientRecord is what the generator stamped for one request, in
// CLOCK_MONOTONIC nanoseconds; 0 means that it did not happen.
type ClientRecord struct {
	ID           uint64
	Intended     int64 // when the schedule wanted it sent; closed loop: equal to Sent
	Sent         int64 // before the first write
	FirstByte    int64 // after the read that brought the first byte of the answer
	FirstContent int64 // streams: after the read that brought the first content frame
	LastByte     int64 // after the read that brought the last byte
	Frames       uint32
	Status       uint16
	Outcome      Outcome
	Streamed     bool
}

// ClientRecordSize is the size of one encoded record in bytes, little-endian,
// in field order.
const ClientRecordSize = 56

// AppendClientRecord appends the encoded record to b.
func AppendClientRecord(b []byte, r *ClientRecord) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, r.ID)
	for _, t := range [...]int64{r.Intended, r.Sent, r.FirstByte, r.FirstContent, r.LastByte} {
		b = le.AppendUint64(b, uint64(t))
	}
	b = le.AppendUint32(b, r.Frames)
	b = le.AppendUint16(b, r.Status)
	var s byte
	if r.Streamed {
		s = 1
	}
	return append(b, byte(r.Outcome), s)
}

// ReadClientRecords decodes all records of r. A trailing part of a record is
// an error.
func ReadClientRecords(r io.Reader) ([]ClientRecord, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read client records: %w", err)
	}
	if len(raw)%ClientRecordSize != 0 {
		return nil, fmt.Errorf("read client records: %d bytes is no multiple of the record size %d", len(raw), ClientRecordSize)
	}
	le := binary.LittleEndian
	out := make([]ClientRecord, 0, len(raw)/ClientRecordSize)
	for b := raw; len(b) > 0; b = b[ClientRecordSize:] {
		at := func(i int) int64 { return int64(le.Uint64(b[8*i:])) }
		out = append(out, ClientRecord{
			ID: le.Uint64(b), Intended: at(1), Sent: at(2), FirstByte: at(3), FirstContent: at(4), LastByte: at(5),
			Frames: le.Uint32(b[48:]), Status: le.Uint16(b[52:]), Outcome: Outcome(b[54]), Streamed: b[55] == 1,
		})
	}
	return out, nil
}
