package logstore

import (
	"sync"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// queue holds accepted rows until the flusher takes them. Producers append to
// one buffer while the flusher writes the other, so the lock is held for one
// row's copy, and a row costs no allocation once the buffers have grown.
type queue struct {
	writer int32
	epoch  int64
	limit  int // most rows accepted and not yet released
	kickAt int // buffered rows at which a waiting flusher is hurried
	block  bool
	await  bool

	wake chan struct{} // the buffer has its first row
	kick chan struct{} // the buffer has kickAt rows
	shut chan struct{} // closed with the queue

	mu     sync.Mutex
	room   sync.Cond // signalled by release
	rows   []logrow.Row
	dones  []logrow.Completion // parallel to rows when await
	taken  int                 // rows taken and not yet released
	seq    int64
	closed bool
}

func newQueue(cfg Config, writer int32, epoch int64) *queue {
	q := &queue{
		writer: writer, epoch: epoch,
		limit: cfg.QueueRows, kickAt: max(1, min(cfg.BatchRows, cfg.QueueRows/2)),
		block: cfg.Overflow == Block, await: cfg.Durability != Async,
		wake: make(chan struct{}, 1), kick: make(chan struct{}, 1), shut: make(chan struct{}),
	}
	q.room.L = &q.mu
	return q
}

// put copies row into the queue, or says why not.
func (q *queue) put(row *logrow.Row, done logrow.Completion) error {
	q.mu.Lock()
	for !q.closed && len(q.rows)+q.taken >= q.limit {
		if !q.block {
			q.mu.Unlock()
			return ErrQueueFull
		}
		q.room.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	q.seq++
	q.rows = append(q.rows, *row)
	n := len(q.rows)
	r := &q.rows[n-1]
	r.Writer, r.Epoch, r.Seq = q.writer, q.epoch, q.seq
	if q.await {
		q.dones = append(q.dones, done)
	}
	if n == 1 {
		notify(q.wake)
	}
	if n == q.kickAt {
		notify(q.kick)
	}
	q.mu.Unlock()
	return nil
}

// take swaps the filled buffers for the given empty ones. The rows count
// against the limit until they are released. more is false once the queue is
// closed and nothing was left.
func (q *queue) take(rows []logrow.Row, dones []logrow.Completion) (_ []logrow.Row, _ []logrow.Completion, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	full, fullDones := q.rows, q.dones
	q.rows, q.dones = rows[:0], dones[:0]
	q.taken += len(full)
	// What was told of the rows now taken is not told of the next ones.
	forget(q.wake)
	forget(q.kick)
	return full, fullDones, len(full) > 0 || !q.closed
}

// release frees the room of n taken rows.
func (q *queue) release(n int) {
	q.mu.Lock()
	q.taken -= n
	q.mu.Unlock()
	if q.block {
		q.room.Broadcast()
	}
}

// close refuses further rows; those that wait for room are refused too. It is
// called once.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	close(q.shut)
	q.room.Broadcast()
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func forget(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}
