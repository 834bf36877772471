package control

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/metrics"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

func serve(t *testing.T, ready *atomic.Pointer[string]) string {
	t.Helper()
	r := shm.NewHeap(ledger.Words(2))
	slots := []ledger.Slot{ledger.At(r, 0, 0), ledger.At(r, 0, 1)}
	slots[0].Add(ledger.Answered, 3)
	slots[1].Add(ledger.Answered, 4)
	slots[1].AddReason("invalid_json")
	m := metrics.New(metrics.Source{Slots: slots})
	v := BuildVersion()
	v.Engine, v.Workers = "conn", 2
	s, err := Listen("127.0.0.1:0", Handler(Source{
		Slots: slots, Accounts: func() []accounts.Sums { return []accounts.Sums{{Key: "k", SpentNano: 9}} },
		Workers: func() any { return []int{1, 2} }, Version: v, Metrics: m, Ready: func() error { return notReady(ready) },
	}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + s.Addr()
}

// notReady is nil while ready holds no reason.
func notReady(ready *atomic.Pointer[string]) error {
	if reason := ready.Load(); reason != nil {
		return errors.New(*reason)
	}
	return nil
}

func get(t *testing.T, url string, into any) int {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := into.(*string); ok {
		*s = string(b)
	} else if into != nil {
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatalf("%s: %v in %s", url, err, b)
		}
	}
	return res.StatusCode
}

func TestTheListenerShowsTheWholeGateway(t *testing.T) {
	var ready atomic.Pointer[string]
	base := serve(t, &ready)
	var sums map[string]int64
	if get(t, base+"/ledger", &sums); sums["answered"] != 7 || len(sums) != int(ledger.NumCounters) {
		t.Errorf("ledger %v", sums)
	}
	var slots []map[string]int64
	if get(t, base+"/ledger/slots", &slots); len(slots) != 2 || slots[1]["answered"] != 4 {
		t.Errorf("slots %v", slots)
	}
	var keys []accounts.Sums
	if get(t, base+"/ledger/keys", &keys); len(keys) != 1 || keys[0].SpentNano != 9 {
		t.Errorf("keys %v", keys)
	}
	var reasons map[string]int64
	if get(t, base+"/ledger/errors", &reasons); reasons["invalid_json"] != 1 {
		t.Errorf("errors %v", reasons)
	}
	var v Version
	if get(t, base+"/version", &v); v.Go == "" || v.GOMAXPROCS < 1 || v.Engine != "conn" || v.Module == "" {
		t.Errorf("version %+v", v)
	}
	var text string
	if get(t, base+"/metrics", &text); !strings.Contains(text, `tollgate_requests_total{outcome="answered"} 7`) {
		t.Errorf("metrics %s", text)
	}
	if code := get(t, base+"/debug/pprof/goroutine?debug=1", &text); code != 200 || !strings.Contains(text, "goroutine profile") {
		t.Errorf("profile: %d %s", code, text)
	}
	if code := get(t, base+"/nothing", nil); code != 404 {
		t.Errorf("unknown path: %d", code)
	}
	if res, err := http.Post(base+"/ledger", "", nil); err != nil || res.StatusCode != 405 {
		t.Errorf("POST: %v, %v", res, err)
	}
}

func TestReadiness(t *testing.T) {
	var ready atomic.Pointer[string]
	base := serve(t, &ready)
	var s Status
	if code := get(t, base+"/readyz", &s); code != 200 || s.Status != "ready" {
		t.Errorf("%d %+v", code, s)
	}
	reason := "draining"
	ready.Store(&reason)
	if code := get(t, base+"/readyz", &s); code != 503 || s.Status != "not ready" || s.Reason != "draining" {
		t.Errorf("%d %+v", code, s)
	}
	if code := get(t, base+"/healthz", &s); code != 200 || s.Status != "ok" {
		t.Errorf("%d %+v", code, s)
	}
}

func TestATakenAddressIsAnError(t *testing.T) {
	var ready atomic.Pointer[string]
	base := serve(t, &ready)
	if _, err := Listen(strings.TrimPrefix(base, "http://"), http.NotFoundHandler(), slog.Default()); err == nil {
		t.Error("no error")
	}
}
