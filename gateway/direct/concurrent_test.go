package direct_test

import (
	"sync"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// TestConcurrentCancels drives many exchanges of one core and one key at once
// and gives each up at another step: under the race detector this shows that a
// pooled exchange has one owner, whatever ends it.
func TestConcurrentCancels(t *testing.T) {
	for _, awaits := range []bool{false, true} {
		core := newCore(t, governed, awaits)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				rows := &sink{awaits: awaits}
				d := direct.New(core, rows)
				whole := direct.New(core, rows)
				for i := range 60 {
					d.CancelAt = 1 + (g+i)%11
					req, ans := chat(90, true), streamed(4)
					if i%3 == 0 {
						req, ans = chat(6<<10, false), answer()
						req.Chunk = 1000
					}
					if i%5 == 0 {
						ans.Fault = exchange.FaultMidBody
					}
					if _, err := d.Do(now, req, ans); err != nil {
						t.Error(err)
						return
					}
					// The next user of what was given up must see nothing of it.
					resp, err := whole.Do(now, chat(90, false), answer())
					if err != nil || resp.Status != 200 || string(resp.Body) != answerBody {
						t.Errorf("%+v %v", resp, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}
