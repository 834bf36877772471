package exchange_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
)

// FuzzExchange runs arbitrary bodies and answers, split and cancelled
// anywhere. Whatever comes, the exchange ends, holds nothing, and what was read
// whole has one row; and how the answer was split changes nothing.
func FuzzExchange(f *testing.F) {
	for _, mode := range []uint8{0, 1, 2, 3, 5, 9, 17} {
		f.Add([]byte(streamBody), []byte(frame("abcd")+usageFrame+doneFrame), uint16(5), uint8(0), uint8(0), mode)
		f.Add([]byte(chatBody), []byte(answerBody), uint16(7), uint8(3), uint8(exchange.FaultMidBody), mode)
	}
	f.Add([]byte(`{"model":"alias","stream":true,"stream_options":{}}`), []byte("data: {\"choices\":[]\r\rdata: [DONE]"), uint16(1), uint8(0), uint8(0), uint8(4))
	f.Fuzz(func(t *testing.T, body, answer []byte, split uint16, cancelAt, fault, mode uint8) {
		changes := func(r *rig) {
			if mode&1 != 0 {
				awaiting(r)
			}
			if mode&2 != 0 {
				r.book.err = errStore
			}
			if mode&16 != 0 {
				bare(r)
			}
		}
		run := func(split int) (string, int64) {
			r := newRig(t, changes)
			r.CancelAt = int(cancelAt)
			ans := &direct.Answer{Status: 200, Fields: sse().Fields, Length: -1, Fault: exchange.UpstreamFault(fault % 10)}
			if mode&4 != 0 {
				ans.Fields = jsonAnswer(200, "").Fields
			}
			if mode&8 != 0 {
				ans.Length = int64(len(answer))
			}
			for rest := answer; len(rest) > 0; {
				n := min(split, len(rest))
				ans.Chunks, rest = append(ans.Chunks, rest[:n]), rest[n:]
			}
			req := post(pathChat, string(body))
			req.Chunk = split
			resp, err := r.Do(r.clock, req, ans)
			if err != nil {
				t.Fatal(err)
			}
			r.idle()
			if r.snap.Stages.Log && int64(len(r.book.rows)) != r.led.Load(ledger.ReadWhole) {
				t.Fatalf("%d rows, %d read whole", len(r.book.rows), r.led.Load(ledger.ReadWhole))
			}
			if ends := r.led.Load(ledger.Answered) + r.led.Load(ledger.Rejected) + r.led.Load(ledger.UpstreamErrors) + r.led.Load(ledger.GatewayErrors) + r.led.Load(ledger.ClientLeft); r.snap.Stages.Ledger && ends != 1 && cancelAt != 1 {
				t.Fatalf("ended %d times", ends)
			}
			return string(resp.Body), r.led.Load(ledger.BilledOutput)
		}
		wholeBody, wholeTok := run(max(1, len(answer)+len(body)))
		splitBody, splitTok := run(1 + int(split))
		if cancelAt == 0 && mode&1 == 0 && fault%10 == 0 && (wholeBody != splitBody || wholeTok != splitTok) {
			t.Fatalf("split by %d: %q, %d tokens; whole: %q, %d", 1+int(split), splitBody, splitTok, wholeBody, wholeTok)
		}
	})
}
