package sqlitelog

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/labels"
)

// A block is the rows of one commit, packed. SQLite spends some 2 CPU-µs on a
// row of its own, most of it not on the bytes but on binding and stepping; a
// block costs that once. The bytes, of which all integers are varints of
// encoding/binary:
//
//	version 1
//	for each row:
//	  flags      1 byte: 0 stream, 1 estimated, 2 hex id, 3-7 outcome
//	  seq        the step from the row before (from 0), signed
//	  started    ns, the step from the row before (from 0), signed
//	  ttfb total ns
//	  id         hex id: its 8 bytes; else its length, then as many bytes
//	  label      number of the set of words in table labels
//	  status prompt_tok output_tok cost_nano bytes_in bytes_out
//
// Steps and figures are signed, so that whatever a row holds comes back.
const blockVersion = 1

const (
	flagStream    = 1 << 0
	flagEstimated = 1 << 1
	flagHexID     = 1 << 2
	outcomeShift  = 3
)

// maxPacked bounds the bytes of one packed row.
const maxPacked = 1 + 13*binary.MaxVarintLen64 + logrow.MaxRequestID

// hexIDLen is the length of an id that is packed as eight bytes.
const hexIDLen = 16

// packer writes rows one after another.
type packer struct {
	b            []byte
	seq, started int64 // of the row before
}

func (p *packer) begin() {
	p.b = append(p.b[:0], blockVersion)
	p.seq, p.started = 0, 0
}

func (p *packer) add(r *logrow.Row, label int64) {
	if cap(p.b)-len(p.b) < maxPacked {
		p.b = append(p.b, make([]byte, max(len(p.b), maxPacked))...)[:len(p.b)]
	}
	b, at := p.b, len(p.b)
	flags := byte(r.Outcome) << outcomeShift
	if r.Stream {
		flags |= flagStream
	}
	if r.Estimated {
		flags |= flagEstimated
	}
	b = binary.AppendVarint(append(b, flags), r.Seq-p.seq)
	b = binary.AppendVarint(b, r.StartedNs-p.started)
	p.seq, p.started = r.Seq, r.StartedNs
	b = binary.AppendVarint(b, r.TTFBNs)
	b = binary.AppendVarint(b, r.TotalNs)
	var id [hexIDLen / 2]byte
	if unhex(&id, r.ID()) {
		b[at] |= flagHexID
		b = append(b, id[:]...)
	} else {
		b = append(append(b, r.RequestIDLen), r.ID()...)
	}
	b = binary.AppendVarint(b, label)
	b = binary.AppendVarint(b, int64(r.Status))
	b = binary.AppendVarint(b, r.PromptTok)
	b = binary.AppendVarint(b, r.OutputTok)
	b = binary.AppendVarint(b, r.CostNano)
	b = binary.AppendVarint(b, r.BytesIn)
	p.b = binary.AppendVarint(b, r.BytesOut)
}

// unhex reads id as 16 lower-case hexadecimal digits; false: it is something
// else.
func unhex(dst *[hexIDLen / 2]byte, id []byte) bool {
	if len(id) != hexIDLen {
		return false
	}
	for i := range dst {
		hi, lo := nibble(id[2*i]), nibble(id[2*i+1])
		if hi|lo > 15 {
			return false
		}
		dst[i] = hi<<4 | lo
	}
	return true
}

func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

var errBlockEnds = errors.New("ends inside a row")

// unpack calls fn with each row of a block and the number of its words. The
// row lacks its writer, epoch and words, and is valid until fn returns.
func unpack(b []byte, fn func(row *logrow.Row, label int64) error) error {
	if len(b) == 0 || b[0] != blockVersion {
		return fmt.Errorf("is of an unknown version (begins with % x)", b[:min(len(b), 1)])
	}
	var row logrow.Row
	for b = b[1:]; len(b) > 0; {
		label, rest, err := unpackRow(&row, b)
		if err != nil {
			return err
		}
		if err := fn(&row, label); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// unpackRow reads the row at the beginning of b. row holds the one before.
func unpackRow(row *logrow.Row, b []byte) (label int64, rest []byte, err error) {
	flags := b[0]
	b = b[1:]
	number := func() (v int64) {
		v, n := binary.Varint(b)
		if n <= 0 {
			err, b = errBlockEnds, nil
			return 0
		}
		b = b[n:]
		return v
	}
	row.Stream, row.Estimated = flags&flagStream != 0, flags&flagEstimated != 0
	row.Outcome = logrow.Outcome(flags >> outcomeShift)
	row.Seq += number()
	row.StartedNs += number()
	row.TTFBNs, row.TotalNs = number(), number()
	n := hexIDLen / 2
	if flags&flagHexID == 0 && len(b) > 0 {
		n, b = int(b[0]), b[1:]
	}
	if err != nil || len(b) < n || n > logrow.MaxRequestID {
		return 0, nil, errBlockEnds
	}
	row.RequestID = [logrow.MaxRequestID]byte{} // rows are compared whole
	if flags&flagHexID != 0 {
		row.RequestIDLen = uint8(hex.Encode(row.RequestID[:], b[:n]))
	} else {
		row.SetID(b[:n])
	}
	b = b[n:]
	label = number()
	status := number()
	row.Status = int32(status)
	if int64(row.Status) != status {
		return 0, nil, fmt.Errorf("has status %d", status)
	}
	row.PromptTok, row.OutputTok, row.CostNano = number(), number(), number()
	row.BytesIn, row.BytesOut = number(), number()
	return label, b, err
}

// wordsOf finds the set of words of a row.
func wordsOf(sets map[int64]labels.Set, label int64) (labels.Set, error) {
	s, ok := sets[label]
	if !ok {
		return s, fmt.Errorf("names label %d, which is not there", label)
	}
	return s, nil
}
