package loadgen

import "time"

// Progress is how far a run is.
type Progress struct {
	Done     int64         // measured requests that ended
	Total    int64         // of so many; 0 when only Duration ends the run
	Failed   int64         // of Done, those whose outcome is a failure
	Warmup   bool          // nothing measured ended yet
	Elapsed  time.Duration // since the first measured request was due; 0 in the warm-up
	Duration time.Duration // the job's measured time limit, 0: none
}

// progressEvery leaves at most five calls a second.
const progressEvery = 220 * time.Millisecond

// report calls progress until done is closed.
func (r *run) report(progress func(Progress), done <-chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			progress(r.progress())
		}
	}
}
