package stack

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/shm"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Direct is the gateway's exchange with no socket around it: real accounts,
// ledger and log, and the mock's own answer, fetched once.
type Direct struct {
	driver *direct.Driver
	store  logstore.Store
	dir    string
	now    func() int64
	req    direct.Request
	answer direct.Answer
	id     []byte
	seq    uint64
	length int // body bytes that every answer must have
}

// StartDirect assembles the exchange of a cell and makes sure that it answers
// rightly.
func (site *Site) StartDirect(ctx context.Context, c *contract.Cell, body []byte) (d *Direct, err error) {
	d = &Direct{now: engine.NewClock(), id: make([]byte, contract.IDLen)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start %s: %w", c.Key(), err), d.Close())
			d = nil
		}
	}()
	if d.dir, err = os.MkdirTemp(site.Dir, "direct-"); err != nil {
		return d, err
	}
	if err := d.assemble(ctx, c); err != nil {
		return d, err
	}
	if c.StreamEvery == 1 {
		if body, err = asStream(body); err != nil {
			return d, err
		}
	}
	if err := d.canned(ctx, c, body); err != nil {
		return d, err
	}
	d.req = direct.Request{
		Method: []byte("POST"), Target: []byte("/v1/chat/completions"), Body: body,
		Fields: []exchange.Field{
			{Name: []byte("Host"), Value: []byte("127.0.0.1")},
			{Name: []byte("Content-Type"), Value: []byte("application/json")},
			{Name: []byte(contract.HeaderRequestID), Value: d.id},
			{Name: []byte("Authorization"), Value: []byte("Bearer " + Token)},
		},
	}
	if c.Profile == contract.Bare {
		d.req.Fields = d.req.Fields[:3]
	}
	return d, d.prove(c)
}

func (d *Direct) assemble(ctx context.Context, c *contract.Cell) error {
	text, err := configFor(c, "127.0.0.1:0", "127.0.0.1:0", absentUpstream, filepath.ToSlash(d.dir))
	if err != nil {
		return err
	}
	none := func(string) (string, bool) { return "", false }
	cfg, err := config.Read("gateway.yaml", []byte(text), none)
	if err != nil {
		return err
	}
	resolved, err := cfg.Resolve(none, time.Now().Unix())
	if err != nil {
		return err
	}
	slot := ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0)
	deps := exchange.Deps{Snapshot: resolved.Snapshot, Ledger: slot, NewID: newID}
	if resolved.Snapshot.Stages.Auth {
		region := shm.NewHeap(accounts.Words(len(resolved.Keys)))
		if err := accounts.Claim(region, resolved.Keys, d.now()); err != nil {
			return err
		}
		book, err := accounts.NewBook(region, resolved.Keys, 0)
		if err != nil {
			return err
		}
		deps.Admitter = book
	}
	var rows logrow.Appender
	if resolved.Snapshot.Stages.Log {
		d.store, err = logstore.Open(ctx, logstore.Config{
			Store: logstore.Kind(c.LogStore), Durability: logstore.Durability(c.Durability), Path: filepath.Join(d.dir, "log"),
			Overflow: logstore.Block, // one caller can outrun any store
		}, 0, logstore.WithCounters(slot))
		if err != nil {
			return err
		}
		rows, deps.AwaitRows = d.store, d.store.Awaits()
	}
	core, err := exchange.NewCore(deps)
	if err != nil {
		return err
	}
	d.driver = direct.New(core, rows)
	return nil
}

// newID is for requests without an id; those of the lab have one.
func newID(dst []byte) int {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return copy(dst, fmt.Sprintf("%x", b))
}

// canned fetches what the mock answers to body as the gateway would send it.
func (d *Direct) canned(ctx context.Context, c *contract.Cell, body []byte) error {
	m, err := startInnerMock(c, "")
	if err != nil {
		return err
	}
	defer m.close()
	if c.StreamEvery == 1 && c.Profile != contract.Bare {
		if body, err = askUsage(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.addr()+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := control.Do(req)
	if err != nil {
		return fmt.Errorf("fetch the mock's answer: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch the mock's answer: status %d: %w", res.StatusCode, err)
	}
	d.answer = direct.Answer{Status: res.StatusCode, Length: res.ContentLength, Chunks: [][]byte{text}}
	d.answer.Fields = []exchange.Field{{Name: []byte("Content-Type"), Value: []byte(res.Header.Get("Content-Type"))}}
	if c.StreamEvery == 1 {
		d.answer.Chunks = nil
		for frame := range strings.SplitAfterSeq(string(text), "\n\n") {
			if frame != "" {
				d.answer.Chunks = append(d.answer.Chunks, []byte(frame))
			}
		}
		if c.Coalesce {
			d.answer.Chunks = [][]byte{text}
		}
	}
	return nil
}

// withMember is a JSON object with one more member.
func withMember(body []byte, name string, value any) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	v, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	top[name] = v
	return json.Marshal(top)
}

func asStream(body []byte) ([]byte, error) { return withMember(body, "stream", true) }

func askUsage(body []byte) ([]byte, error) {
	return withMember(body, "stream_options", map[string]bool{"include_usage": true})
}

// prove makes one call and looks at the whole answer.
func (d *Direct) prove(c *contract.Cell) error {
	res, err := d.call()
	if err != nil {
		return err
	}
	text, err := assistantText(res.Body, c.StreamEvery == 1)
	if err != nil {
		return err
	}
	if want := Content(c); text != want {
		return fmt.Errorf("the answer says %.80q, want %.80q", text, want)
	}
	d.length = len(res.Body)
	return nil
}

// Call makes one request. Each has an id of its own.
func (d *Direct) Call() error {
	res, err := d.call()
	if err != nil {
		return err
	}
	if len(res.Body) != d.length {
		return fmt.Errorf("an answer of %d bytes, want %d", len(res.Body), d.length)
	}
	return nil
}

func (d *Direct) call() (*direct.Response, error) {
	d.seq++
	contract.PutID(d.id, contract.MakeID(1, d.seq))
	res, err := d.driver.Do(d.now, &d.req, &d.answer)
	switch {
	case err != nil:
		return nil, err
	case res.Status != http.StatusOK || res.Aborted:
		return nil, fmt.Errorf("status %d (aborted: %v): %.200s", res.Status, res.Aborted, res.Body)
	}
	return res, nil
}

// assistantText reads the text of an answer.
func assistantText(body []byte, stream bool) (string, error) {
	type choices struct {
		Choices []struct {
			Message, Delta struct {
				Content string `json:"content"`
			}
		} `json:"choices"`
	}
	var b strings.Builder
	read := func(text []byte) error {
		var c choices
		if err := json.Unmarshal(text, &c); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		for _, ch := range c.Choices {
			b.WriteString(ch.Message.Content + ch.Delta.Content)
		}
		return nil
	}
	if !stream {
		err := read(body)
		return b.String(), err
	}
	ended := false
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		switch {
		case !ok:
		case data == "[DONE]":
			ended = true
		default:
			if err := read([]byte(data)); err != nil {
				return "", err
			}
		}
	}
	if !ended {
		return "", errors.New("read the answer: the stream has no terminator")
	}
	return b.String(), nil
}

// Close stores the last rows and removes what was written.
func (d *Direct) Close() error {
	var errs []error
	if d.store != nil {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		errs = append(errs, d.store.Close(ctx))
	}
	if d.dir != "" {
		errs = append(errs, os.RemoveAll(d.dir))
	}
	return errors.Join(errs...)
}
