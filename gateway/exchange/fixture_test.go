package exchange_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

const (
	token    = "sk-virtual-0123456789"
	secret   = "sk-provider-secret"
	pathChat = "/v1/chat/completions"
	freshID  = "fresh-id"
)

// desk is an admitter of one key that writes down what it is told.
type desk struct {
	deny     admission.Verdict // when it has a reason
	rate     admission.Rate
	estimate admission.Estimate
	used     admission.Usage
	cost     int64
	reserved int
	settled  int
	released int
	open     int
}

func (d *desk) Authenticate(tok []byte) (admission.KeyRef, admission.Reason) {
	switch string(tok) {
	case "":
		return admission.NoKey, admission.ReasonNoKey
	case token:
		return 0, admission.ReasonNone
	case "sk-off":
		return 1, admission.ReasonDisabled
	}
	return admission.NoKey, admission.ReasonBadKey
}

func (d *desk) KeyName(k admission.KeyRef) string {
	if k == 0 {
		return "team"
	}
	return ""
}

func (d *desk) ModelAllowed(_ admission.KeyRef, m int) bool { return m != modelClosed }

func (d *desk) Reserve(_ int64, k admission.KeyRef, e *admission.Estimate, r *admission.Reservation) admission.Verdict {
	d.estimate = *e
	if d.deny.Reason != admission.ReasonNone {
		return d.deny
	}
	*r = admission.Reservation{Key: k, Held: true}
	d.reserved++
	d.open++
	return admission.Verdict{Rate: d.rate}
}

func (d *desk) Settle(_ int64, r *admission.Reservation, used admission.Usage, cost int64) {
	d.close(r)
	d.settled++
	d.used, d.cost = used, cost
}

func (d *desk) Release(_ int64, r *admission.Reservation) {
	d.close(r)
	d.released++
}

func (d *desk) close(r *admission.Reservation) {
	if !r.Held {
		panic("a reservation is closed twice")
	}
	r.Held = false
	d.open--
}

// book is a log store.
type book struct {
	rows   []logrow.Row
	awaits bool
	err    error
	then   func() // runs before an awaited row is answered
}

func (b *book) Append(r *logrow.Row, done logrow.Completion) bool {
	b.rows = append(b.rows, *r)
	if b.awaits {
		if b.then != nil {
			b.then()
		}
		done.Stored(b.err)
	}
	return b.awaits
}

func (b *book) Awaits() bool { return b.awaits }

const (
	modelAlias = iota // asked for as "alias", sent on as "real-model"
	modelPlain        // "plain", sent on as it is
	modelClosed
	modelAny
)

// rig is a core with everything around it.
type rig struct {
	t    testing.TB
	desk desk
	book book
	led  ledger.Slot
	snap exchange.Snapshot
	core *exchange.Core
	*direct.Driver
	now int64
}

// newRig makes a core with all stages on; change may change it first.
func newRig(t testing.TB, change ...func(*rig)) *rig {
	t.Helper()
	r := &rig{t: t, now: 1_700_000_000_000_000_000}
	r.led = ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0)
	r.snap = exchange.Snapshot{
		Providers: []exchange.Provider{{
			Endpoint: exchange.Endpoint{Name: "prov", Host: "127.0.0.1:1"}, BasePath: "/base/v1",
			Auth:          []exchange.Field{{Name: []byte("Authorization"), Value: []byte("Bearer " + secret)}},
			HeadTimeoutNs: 7,
		}},
		Models: []exchange.Model{
			{Name: "alias", Upstream: "real-model", PriceIn: 2_000_000, PriceOut: 5_000_000, MaxOutputTok: 100},
			{Name: "plain", PriceIn: 1_000_000, PriceOut: 1_000_000, MaxOutputTok: 100},
			{Name: "closed"},
		},
		ByName:   map[string]int{"alias": modelAlias, "plain": modelPlain, "closed": modelClosed},
		AnyModel: -1,
		Stages:   exchange.Stages{Auth: true, Admission: true, Ledger: true, Log: true},
		Limits:   exchange.Limits{MaxBodyBytes: 1 << 20},
		Created:  77,
	}
	for _, c := range change {
		c(r)
	}
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: &r.snap, Admitter: &r.desk, AwaitRows: r.book.awaits, Ledger: r.led,
		Local: func(_ int64, method, path []byte) (int, string, []byte, bool) {
			return 200, "text/plain", []byte("ok\n"), string(path) == "/healthz" && string(method) == "GET"
		},
		NewID: func(dst []byte) int { return copy(dst, freshID) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.core = core
	r.Driver = direct.New(core, &r.book)
	r.Echo = true
	return r
}

func awaiting(r *rig) { r.book.awaits = true }
func bare(r *rig)     { r.snap.Stages = exchange.Stages{} }

// clock moves on by a microsecond at each reading.
func (r *rig) clock() int64 {
	r.now += 1000
	return r.now
}

// fields makes fields of "Name: value" lines.
func fields(lines ...string) (f []exchange.Field) {
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		f = append(f, exchange.Field{Name: []byte(name), Value: []byte(value)})
	}
	return f
}

func post(target, body string, more ...string) *direct.Request {
	f := fields(append([]string{"Host: gw", "Authorization: Bearer " + token, "Content-Type: application/json"}, more...)...)
	return &direct.Request{Method: []byte("POST"), Target: []byte(target), Fields: f, Body: []byte(body)}
}

func get(target string) *direct.Request {
	r := post(target, "")
	r.Method = []byte("GET")
	return r
}

// jsonAnswer is an upstream's answer with its length announced.
func jsonAnswer(status int, body string, more ...string) *direct.Answer {
	return &direct.Answer{
		Status: status, Fields: fields(append([]string{"content-type: application/json"}, more...)...),
		Chunks: [][]byte{[]byte(body)}, Length: int64(len(body)),
	}
}

// sse is an upstream's stream; each piece arrives in a read of its own.
func sse(pieces ...string) *direct.Answer {
	a := &direct.Answer{Status: 200, Fields: fields("Content-Type: text/event-stream; charset=utf-8", "Transfer-Encoding: chunked"), Length: -1}
	for _, p := range pieces {
		a.Chunks = append(a.Chunks, []byte(p))
	}
	return a
}

// frame is a content frame of a stream.
func frame(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n"
}

const (
	finishFrame = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usageFrame  = `data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14}}` + "\n\n"
	doneFrame   = "data: [DONE]\n\n"

	chatBody   = `{"model":"plain","messages":[{"role":"user","content":"12345678"}]}`
	streamBody = `{"model":"plain","messages":[{"role":"user","content":"12345678"}],"stream":true}`
	answerBody = `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14}}`
)

// do runs a request and checks what holds of every request.
func (r *rig) do(req *direct.Request, ans *direct.Answer) *direct.Response {
	r.t.Helper()
	if ans == nil {
		ans = &direct.Answer{Fault: exchange.FaultConnect}
	}
	rows, whole := len(r.book.rows), r.led.Load(ledger.ReadWhole)
	resp, err := r.Do(r.clock, req, ans)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := int64(len(r.book.rows) - rows); r.snap.Stages.Log && r.snap.Stages.Ledger && got != r.led.Load(ledger.ReadWhole)-whole {
		r.t.Errorf("%d rows for %d requests read whole", got, r.led.Load(ledger.ReadWhole)-whole)
	}
	r.idle()
	if resp.Length >= 0 && !resp.Aborted && string(req.Method) != "HEAD" && r.CancelAt == 0 && resp.Length != int64(len(resp.Body)) {
		r.t.Errorf("%d bytes announced, %d written", resp.Length, len(resp.Body))
	}
	r.noSecrets(resp, r.book.rows[rows:])
	return resp
}

// idle checks that nothing is held.
func (r *rig) idle() {
	r.t.Helper()
	if r.desk.open != 0 || r.led.Load(ledger.OpenReservations) != 0 || r.led.Load(ledger.InFlight) != 0 {
		r.t.Errorf("held: %d, counted %d, in flight %d", r.desk.open, r.led.Load(ledger.OpenReservations), r.led.Load(ledger.InFlight))
	}
}

// noSecrets checks that neither the client's token nor the provider's key is
// in anything that leaves, save the provider's key to the provider.
func (r *rig) noSecrets(resp *direct.Response, rows []logrow.Row) {
	r.t.Helper()
	said := string(resp.Body) + fmt.Sprintf("%s", resp.Fields)
	for i := range rows {
		row := &rows[i]
		said += string(row.ID()) + row.Surface + row.Key + row.Model + row.Provider + row.Reason
	}
	if resp.Asked != nil {
		said += string(resp.Asked.Path)
		for _, f := range resp.Asked.Fields {
			if !bytes.EqualFold(f.Name, []byte("authorization")) {
				said += string(f.Name) + string(f.Value)
			} else if strings.Contains(string(f.Value), token) {
				r.t.Error("the client's token goes upstream")
			}
		}
	}
	for _, s := range []string{token, secret} {
		if strings.Contains(said, s) {
			r.t.Errorf("%q leaks in %s", s, said)
		}
	}
}

func (r *rig) row() *logrow.Row {
	r.t.Helper()
	if len(r.book.rows) == 0 {
		r.t.Fatal("no row")
	}
	return &r.book.rows[len(r.book.rows)-1]
}

// field is the value of a response field, "" when there is none.
func field(fields []exchange.Field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(string(f.Name), name) {
			return string(f.Value)
		}
	}
	return ""
}
