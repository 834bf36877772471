package audit

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func billedPrompt(f *Facts) (results.Check, bool) {
	if f.Ledger == nil || f.Kill != nil || f.Ledger["client_left"] > 0 {
		return absent() // the per-request check covers those
	}
	return equal("billed prompt tokens = told by the mock", f.Truth.PromptTok, f.Ledger["billed_prompt_tok"], "")
}

func billedOutput(f *Facts) (results.Check, bool) {
	if f.Ledger == nil || f.Kill != nil {
		return absent()
	}
	whole := f.Ledger["billed_output_tok"] - f.Ledger["billed_aborted_output_tok"]
	return equal("billed output tokens = told by the mock", f.Truth.OutputTok, whole, "aborted streams apart")
}

// billedPerRequest compares each answered request's row with what the mock
// told for it: sums can agree by accident.
func billedPerRequest(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Join == contract.JoinNone {
		return absent()
	}
	var want, got int64
	detail := ""
	for i := range f.Stamps {
		s := &f.Stamps[i]
		if s.Flags&contract.StampAnswered == 0 {
			continue
		}
		for _, r := range f.Log.ByID[s.ID] {
			if !r.Answered {
				continue
			}
			want++
			if r.OutputTok == int64(s.Tokens) {
				got++
			} else if detail == "" {
				detail = fmt.Sprintf("%s: billed %d output tokens, the mock told %d", hexID(s.ID), r.OutputTok, s.Tokens)
			}
		}
	}
	return equal("rows billed as the mock told for their request", want, got, detail)
}

// billedAborted holds for streams that the client left: received ≤ billed ≤
// sent, in tokens; each mock frame is one token there.
func billedAborted(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Measured[contract.ClientAborted] == 0 || f.Records == nil {
		return absent()
	}
	sent := make(map[uint64]int64, len(f.Stamps))
	for i := range f.Stamps {
		sent[f.Stamps[i].ID] = int64(f.Stamps[i].Tokens)
	}
	var want, got int64
	detail := ""
	for i := range f.Records {
		r := &f.Records[i]
		if r.Outcome != contract.ClientAborted {
			continue
		}
		for _, row := range f.Log.ByID[r.ID] {
			want++
			if int64(r.Frames) <= row.OutputTok && row.OutputTok <= sent[r.ID] {
				got++
			} else if detail == "" {
				detail = fmt.Sprintf("%s: received %d, billed %d, sent %d", hexID(r.ID), r.Frames, row.OutputTok, sent[r.ID])
			}
		}
	}
	return equal("aborted streams with received ≤ billed ≤ sent", want, got, detail)
}
