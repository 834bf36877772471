package loadgen

import (
	"fmt"
	"io"

	"github.com/tollgate-lab/tollgate/loadgen/answer"
	"github.com/tollgate-lab/tollgate/loadgen/http1"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// maxSaid is how much of an error's body is kept for its words, in bytes.
const maxSaid = 200

// newChecker makes a checker for the job's answers. A GET outside /v1/, such
// as a health check, may answer anything; all else must be JSON.
func (r *run) newChecker() *answer.Checker {
	c := answer.New(r.job.ExpectContent)
	c.AnyBody = r.job.ExpectContent == "" && r.req.anyBody
	return c
}

// exchange sends one request and reads its answer. intended is 0 in closed
// loop.
func (c *leanConn) exchange(seq, intended int64) {
	x := &c.sample
	idleFrom := x.end
	*x = sample{seq: seq}
	rec := &x.rec
	rec.ID, rec.Streamed, rec.Intended = c.run.id(seq), c.run.streamed(seq), intended
	if err := c.connected(idleFrom); err != nil {
		c.unconnected(err)
		return
	}
	out := &c.plain
	if rec.Streamed {
		out = &c.stream
	}
	c.parser.Reset(c.run.job.Method == "HEAD")
	c.check.Begin(rec.Streamed)
	c.said = c.said[:0]

	rec.Sent = contract.Now()
	if intended == 0 {
		rec.Intended = rec.Sent
	}
	c.since.Store(rec.Sent)
	err := out.send(c.conn, rec.ID)
	unsound := err != nil
	if err == nil || !isTimeout(err) {
		// A server may answer before it has read the request, and close: the
		// write fails, yet an answer is there to read.
		x.out = out.msg.bodyLen
		err = c.read()
	} else {
		x.end = contract.Now()
	}
	if c.since.Swap(0) == swept {
		unsound = true // its deadline has passed for good
	}
	c.settle(err)
	if unsound || err != nil || !c.parser.Head.KeepAlive {
		c.hangUp()
	}
	x.gaps = c.check.Gaps
	x.coalesced, x.last = c.check.Coalesced, c.check.LastContent
	rec.Frames, rec.FirstContent = uint32(c.check.Frames), c.check.FirstContent
	c.run.record(c.shard, x)
}

// read reads the answer to its end. Each read is stamped when it returns.
func (c *leanConn) read() error {
	x := &c.sample
	for {
		n, err := c.conn.Read(c.buf)
		x.end = contract.Now()
		if n > 0 {
			if x.rec.FirstByte == 0 {
				x.rec.FirstByte = x.end
			}
			if err := c.take(c.buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF && !c.parser.Done() {
			if err = c.parser.EOF(); err == nil {
				c.parser.Head.KeepAlive = false
			}
		}
		switch {
		case c.parser.Done():
			x.rec.LastByte = x.end
			return nil
		case err != nil:
			return err
		}
	}
}

// take hands the bytes of one read to parser and checker.
func (c *leanConn) take(b []byte) error {
	c.check.Read(c.sample.end)
	for len(b) > 0 {
		body, n, err := c.parser.Next(b)
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%w: %d bytes after its end", http1.ErrSyntax, len(b))
		}
		b = b[n:]
		if len(body) == 0 {
			continue
		}
		c.sample.in += int64(len(body))
		if s := c.parser.Head.Status; s >= 200 && s < 300 {
			c.check.Feed(body)
		} else if room := maxSaid - len(c.said); room > 0 {
			c.said = append(c.said, body[:min(room, len(body))]...)
		}
	}
	return nil
}

// settle decides the outcome of a request that was sent. err is what kept
// its answer from being whole.
func (c *leanConn) settle(err error) {
	x := &c.sample
	rec := &x.rec
	head := &c.parser.Head
	if c.parser.HeadDone() {
		rec.Status = uint16(head.Status)
	}
	if err != nil {
		rec.Outcome = classifyBroken(err, rec.FirstByte > 0, isTimeout(err) && c.run.leaving())
		x.words = err.Error()
		if rec.Outcome == contract.Timeout {
			x.words = fmt.Sprintf("no end within %v", c.run.job.Timeout)
		}
		rec.LastByte = 0
		return
	}
	var ok bool
	if rec.Outcome, ok = classifyStatus(head.Status, head.Marked); ok {
		if c.run.job.Method != "HEAD" {
			rec.Outcome, x.words = c.check.End()
		}
	} else if !c.run.errs.full.Load() {
		x.words = tellStatus(c.said, head.Marked, string(head.Mark))
	}
	c.run.enforceTimeout(x)
}

// unconnected records a request for which no connection could be had.
func (c *leanConn) unconnected(err error) {
	c.run.refused(c.shard, &c.sample, err)
}
