package exchange_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// TestEverySurfaceIsAdmitted asks the router for its routes: none that spends
// escapes the key or the budget, and none that does not is open to all.
func TestEverySurfaceIsAdmitted(t *testing.T) {
	spend, others := exchange.Surfaces()
	if len(spend) == 0 || len(others) == 0 {
		t.Fatal("the router is empty")
	}
	for _, path := range spend {
		r := newRig(t)
		r.desk.deny = admission.Verdict{Reason: admission.ReasonBudget}
		wantError(t, r.do(post(path, chatBody), jsonAnswer(200, answerBody)), 429, "insufficient_quota", "insufficient_quota")
		r = newRig(t)
		if r.do(post(path, chatBody), jsonAnswer(200, answerBody)); r.desk.reserved != 1 || r.desk.settled != 1 || r.row().Key != "team" {
			t.Errorf("%s: %d reserved, %d settled", path, r.desk.reserved, r.desk.settled)
		}
		req := post(path, chatBody)
		req.Fields = nil
		wantError(t, r.do(req, nil), 401, "missing_api_key", "invalid_api_key")
	}
	for _, path := range others {
		req := &direct.Request{Method: []byte("GET"), Target: []byte(path + "plain")}
		if path == "/v1/models" {
			req.Target = []byte(path)
		}
		wantError(t, newRig(t).do(req, nil), 401, "missing_api_key", "invalid_api_key")
	}
}
