package mockupstream

import (
	"strconv"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// settleLimit bounds how long a reader of the ground truth waits for answers
// whose last bytes are being written. It is reached only when a peer does not
// read, or on a host too busy to run the writer.
const settleLimit = 100 * time.Millisecond

// Statuses counted apart.
const (
	minStatus = 200
	maxStatus = 599
)

// counters are the sums of one shard.
type counters struct {
	received, answered, faulted, peerLeft, malformed int64
	streamed, usageAsked, connections                int64
	bytesIn, bytesOut, framesSent                    int64
	promptTok, outputTok, abortedTok                 int64
	stampsLost, unidentified                         int64
	byRoute                                          [numRoutes]int64
	byStatus                                         [maxStatus - minStatus + 1]int64
}

// shard counts for one connection at a time. It outlives the connection and
// serves later ones, so there are as many as connections at most at once.
type shard struct {
	mu      sync.Mutex
	epoch   uint32 // resets so far
	sending bool   // an answer's last bytes may have left uncounted
	n       counters
	stamps  stampLog
	_       [64]byte // keeps the next shard's lock off this cache line
}

// outcome is how one exchange ended.
type outcome struct {
	stamp   contract.MockStamp
	epoch   uint32 // of the shard when the request was received
	status  int    // 0 when not a byte was accepted
	prompt  int    // tokens told, of an answer that is whole
	out     int64  // bytes accepted by write(2)
	aborted int    // tokens of a stream that did not end
}

// received counts a request read whole. last says that the next write may be
// the answer's last.
func (s *shard) received(r *request, in int64, last bool) (epoch uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n.received++
	s.n.bytesIn += in
	s.n.byRoute[r.route]++
	if r.route == routeChat && r.body.stream {
		s.n.streamed++
		if r.body.usage {
			s.n.usageAsked++
		}
	}
	if r.id() == 0 {
		s.n.unidentified++
	}
	s.sending = last
	return s.epoch
}

// lastWrite announces that the next write may be the answer's last.
func (s *shard) lastWrite() {
	s.mu.Lock()
	s.sending = true
	s.mu.Unlock()
}

// ended counts the end of an exchange. One that began before a reset counts
// nowhere.
func (s *shard) ended(o *outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending = false
	if o.epoch != s.epoch {
		return
	}
	n, st := &s.n, &o.stamp
	n.bytesOut += o.out
	n.framesSent += int64(st.Frames)
	n.abortedTok += int64(o.aborted)
	if st.Flags&contract.StampAnswered != 0 {
		n.answered++
		n.promptTok += int64(o.prompt)
		n.outputTok += int64(st.Tokens)
	}
	if st.Flags&contract.StampFaulted != 0 {
		n.faulted++
	}
	if st.Flags&contract.StampPeerLeft != 0 {
		n.peerLeft++
	}
	if o.status != 0 {
		n.byStatus[o.status-minStatus]++
	}
	if st.ID != 0 && !s.stamps.add(st) {
		n.stampsLost++
	}
}

// malformed counts a request that could not be read, and the answer to it,
// status 0 for none.
func (s *shard) malformed(status int) {
	s.mu.Lock()
	s.n.malformed++
	if status != 0 {
		s.n.byStatus[status-minStatus]++
	}
	s.mu.Unlock()
}

// moved counts bytes that belong to no exchange.
func (s *shard) moved(in, out int64) {
	s.mu.Lock()
	s.sending = false
	s.n.bytesIn += in
	s.n.bytesOut += out
	s.mu.Unlock()
}

func (s *shard) connected() {
	s.mu.Lock()
	s.n.connections++
	s.mu.Unlock()
}

// settled locks s, once no answer is on its way or the deadline is over. A
// client that has an answer's last byte can so rely on its being counted.
func (s *shard) settled(deadline time.Time) {
	for {
		s.mu.Lock()
		if !s.sending || time.Now().After(deadline) {
			return
		}
		s.mu.Unlock()
		time.Sleep(20 * time.Microsecond)
	}
}

// Truth is the ground truth since the last reset. It is exact once every
// client has the end of its answer.
func (s *Server) Truth() contract.GroundTruth {
	g := contract.GroundTruth{
		Version: 1, ByRoute: map[string]int64{}, ByStatus: map[string]int64{},
		CPUNs: processCPU(),
	}
	deadline := time.Now().Add(settleLimit)
	for _, sh := range s.shards.all() {
		sh.settled(deadline)
		n := &sh.n
		g.Received += n.received
		g.Answered += n.answered
		g.Faulted += n.faulted
		g.PeerLeft += n.peerLeft
		g.Malformed += n.malformed
		g.Streamed += n.streamed
		g.UsageAsked += n.usageAsked
		g.Connections += n.connections
		g.BytesIn += n.bytesIn
		g.BytesOut += n.bytesOut
		g.FramesSent += n.framesSent
		g.PromptTok += n.promptTok
		g.OutputTok += n.outputTok
		g.AbortedTok += n.abortedTok
		g.StampsLost += n.stampsLost
		g.Unidentified += n.unidentified
		for r, v := range n.byRoute {
			if v != 0 {
				g.ByRoute[routeNames[r]] += v
			}
		}
		for i, v := range n.byStatus {
			if v != 0 {
				g.ByStatus[strconv.Itoa(minStatus+i)] += v
			}
		}
		sh.mu.Unlock()
	}
	return g
}

// Stamps are the stamps since the last reset, of requests that ended, in no
// particular order.
func (s *Server) Stamps() []contract.MockStamp {
	var out []contract.MockStamp
	deadline := time.Now().Add(settleLimit)
	for _, sh := range s.shards.all() {
		sh.settled(deadline)
		out = sh.stamps.appendTo(out)
		sh.mu.Unlock()
	}
	return out
}

// Reset forgets all counts and stamps. Requests under way at that moment will
// count nowhere. The scripts' own sequences (every Nth, seeds) go on.
func (s *Server) Reset() {
	deadline := time.Now().Add(settleLimit)
	for _, sh := range s.shards.all() {
		sh.settled(deadline)
		sh.epoch++
		sh.n = counters{}
		sh.stamps.release()
		sh.mu.Unlock()
	}
}
