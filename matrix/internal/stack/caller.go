package stack

import (
	"fmt"
	"net/http"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Caller calls a Direct's core, one call after another. Its requests have ids
// of their own. It is not safe for concurrent use; the callers of one Direct
// may call at once.
type Caller struct {
	d      *Direct
	driver *direct.Driver
	req    direct.Request
	id     []byte
	nonce  uint32
	seq    uint64
}

// Caller makes one more caller. It is not safe for concurrent use.
func (d *Direct) Caller() *Caller {
	d.made++
	c := &Caller{d: d, driver: direct.New(d.core, d.rows), nonce: d.made, id: make([]byte, contract.IDLen)}
	c.req = direct.Request{
		Method: []byte("POST"), Target: []byte("/v1/chat/completions"), Body: d.body,
		Fields: append([]exchange.Field{{Name: []byte(contract.HeaderRequestID), Value: c.id}}, d.fields...),
	}
	return c
}

// Call makes one request and looks at the answer's status and length.
func (c *Caller) Call() error {
	res, err := c.call()
	if err != nil {
		return err
	}
	if len(res.Body) != c.d.length {
		return fmt.Errorf("an answer of %d bytes, want %d", len(res.Body), c.d.length)
	}
	return nil
}

func (c *Caller) call() (*direct.Response, error) {
	res, err := c.do(&c.d.answer)
	switch {
	case err != nil:
		return nil, err
	case res.Status != http.StatusOK || res.Aborted:
		return nil, fmt.Errorf("status %d (aborted: %v): %.200s", res.Status, res.Aborted, res.Body)
	}
	return res, nil
}

func (c *Caller) do(answer *direct.Answer) (*direct.Response, error) {
	c.seq++
	contract.PutID(c.id, contract.MakeID(c.nonce, c.seq))
	return c.driver.Do(c.d.now, &c.req, answer)
}

// asked is the body that the core sends to the upstream. The attempt that
// tells it fails, and costs nothing.
func (c *Caller) asked() ([]byte, error) {
	c.driver.Echo = true
	res, err := c.do(&direct.Answer{Fault: exchange.FaultConnect})
	c.driver.Echo = false
	switch {
	case err != nil:
		return nil, err
	case res.Asked == nil:
		return nil, fmt.Errorf("the upstream was not asked: status %d: %.200s", res.Status, res.Body)
	}
	return append([]byte(nil), res.UpBody...), nil
}
