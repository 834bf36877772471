package contract

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Paths on the mock's control port.
const (
	PathTruth  = "/truth"        // GET: GroundTruth as JSON; DELETE: reset counters and stamps
	PathStamps = "/truth/stamps" // GET: MockStamp records, binary, in no particular order
	PathScript = "/script"       // GET, PUT: the script of timing, size and faults as JSON
)

// GroundTruth is what the mock knows of what it received and sent. Counters
// run from the last reset. Tokens are as the mock told or sent them.
type GroundTruth struct {
	Version      int              `json:"version"`      // 1
	Received     int64            `json:"received"`     // requests read whole, of any kind
	Answered     int64            `json:"answered"`     // answers written whole
	Faulted      int64            `json:"faulted"`      // answers changed by the script: error status, reset, cut
	PeerLeft     int64            `json:"peer_left"`    // the peer closed before the answer was whole
	Malformed    int64            `json:"malformed"`    // requests that could not be read
	Streamed     int64            `json:"streamed"`     // of Received, those that asked for a stream
	UsageAsked   int64            `json:"usage_asked"`  // of Streamed, those with stream_options.include_usage
	Connections  int64            `json:"connections"`  // accepted
	BytesIn      int64            `json:"bytes_in"`     // request bytes read, heads included
	BytesOut     int64            `json:"bytes_out"`    // answer bytes accepted by write(2)
	FramesSent   int64            `json:"frames_sent"`  // content frames of streams accepted by write(2)
	PromptTok    int64            `json:"prompt_tok"`   // prompt tokens of answered requests, as told in usage
	OutputTok    int64            `json:"output_tok"`   // output tokens of answered requests, as told in usage
	AbortedTok   int64            `json:"aborted_tok"`  // output tokens of frames sent in streams that did not end
	StampsLost   int64            `json:"stamps_lost"`  // requests beyond the stamp buffer: their toll cannot be joined
	Unidentified int64            `json:"unidentified"` // requests without a lab id
	ByRoute      map[string]int64 `json:"by_route,omitempty"`
	ByStatus     map[string]int64 `json:"by_status,omitempty"`
	CPUNs        int64            `json:"cpu_ns"` // process CPU time since start, own
}

// MockStamp is what the mock stamped for one request. Times are
// CLOCK_MONOTONIC nanoseconds; 0 means that it did not happen.
type MockStamp struct {
	ID           uint64
	Received     int64  // after the last body byte was read
	FirstSent    int64  // before the write that carries the first byte of the answer
	FirstContent int64  // before the write of the first content frame (streams) or of the answer
	LastSent     int64  // before the last write
	Frames       uint32 // content frames sent
	Tokens       uint32 // output tokens told or sent
	Flags        uint32 // bit 0 streamed, bit 1 answered whole, bit 2 faulted, bit 3 peer left
}

// Flags of a MockStamp.
const (
	StampStreamed = 1 << iota
	StampAnswered
	StampFaulted
	StampPeerLeft
)

// MockStampSize is the size of one encoded stamp in bytes, little-endian, in
// field order, padded to 56.
const MockStampSize = 56

// AppendStamp appends the encoded stamp to b.
func AppendStamp(b []byte, s *MockStamp) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, s.ID)
	b = le.AppendUint64(b, uint64(s.Received))
	b = le.AppendUint64(b, uint64(s.FirstSent))
	b = le.AppendUint64(b, uint64(s.FirstContent))
	b = le.AppendUint64(b, uint64(s.LastSent))
	b = le.AppendUint32(b, s.Frames)
	b = le.AppendUint32(b, s.Tokens)
	b = le.AppendUint32(b, s.Flags)
	return le.AppendUint32(b, 0)
}

// ReadStamps decodes all stamps of r. A trailing part of a record is an error.
func ReadStamps(r io.Reader) ([]MockStamp, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read stamps: %w", err)
	}
	if len(raw)%MockStampSize != 0 {
		return nil, fmt.Errorf("read stamps: %d bytes is no multiple of the record size %d", len(raw), MockStampSize)
	}
	le := binary.LittleEndian
	out := make([]MockStamp, 0, len(raw)/MockStampSize)
	for b := raw; len(b) > 0; b = b[MockStampSize:] {
		out = append(out, MockStamp{
			ID: le.Uint64(b), Received: int64(le.Uint64(b[8:])), FirstSent: int64(le.Uint64(b[16:])),
			FirstContent: int64(le.Uint64(b[24:])), LastSent: int64(le.Uint64(b[32:])),
			Frames: le.Uint32(b[40:]), Tokens: le.Uint32(b[44:]), Flags: le.Uint32(b[48:]),
		})
	}
	return out, nil
}
