package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

func newRun(name string, at time.Time) *results.Run {
	return &results.Run{
		Header: results.Header{
			Version: results.Version,
			Name:    name,
			Started: at,
			Sitting: results.Sitting{ID: "5171a9c0ffee5171", BootHash: "b007", HarnessHash: "4a24e55", Started: at},
			Fingerprint: results.Fingerprint{
				CPUModel: "Example CPU", CPUs: 2, MemoryBytes: 8 << 30, OS: "linux/amd64 Example 12", Kernel: "6.1.0",
				Go: "go1.26.0", GOMAXPROCS: 2, Virtualization: "kvm",
			},
			Sources: results.Sources{Version: "v0.1.0", GatewayCommit: "0123456789abcdef0123", HarnessHash: "4a24e55", MockHash: "30c4"},
			Spec:    results.Spec{Name: "default", Hash: "5bec5bec5bec5bec", Text: "name: default\n"},
			Seed:    7, Reproduce: "go run ./matrix/cmd/matrix run --spec default",
		},
		Final: &results.Final{Finished: at.Add(time.Hour), Status: results.Complete},
	}
}

// histograms remembers what histogram made: encoding is the slow part of a
// fixture. Tests here do not run in parallel.
var histograms = make(map[string]results.Histogram)

// histogram holds n values from lo to hi ns, evenly spread.
func histogram(t *testing.T, n int, lo, hi float64) results.Histogram {
	t.Helper()
	key := fmt.Sprint(n, lo, hi)
	if h, ok := histograms[key]; ok {
		return h
	}
	h := results.NewHistogram()
	for i := range n {
		if err := h.RecordValue(int64(lo + (hi-lo)*float64(i)/float64(n))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := results.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	histograms[key] = text
	return text
}

// speed is how fast one synthetic cell is.
type speed struct {
	perS   float64 // requests per second in repetition 0; each later one is 1 % faster
	cpuNs  int64   // of the gateway, per request
	n      int     // requests answered per repetition
	tollNs float64 // median; 0: the tolls were not joined
}

// load appends reps repetitions of c. Service times follow from Little's law.
func load(t *testing.T, run *results.Run, c contract.Cell, s speed, reps int, edit func(*results.Repetition)) {
	t.Helper()
	c.Surface, c.Requests, c.Warmup = "chat", s.n, s.n/10
	if c.Body == "" {
		c.Body = "90B"
	}
	if c.Target == results.TargetGateway {
		if c.Engine == "" {
			c.Engine = "conn"
		}
		if c.Profile == "" {
			c.Profile = contract.Governed
		}
	}
	for i := range reps {
		perS := s.perS * (1 + float64(i)/100)
		mean := float64(c.Conc) / perS * 1e9
		measured := int64(float64(s.n) / perS * 1e9)
		r := results.Repetition{
			Cell: c, Block: i, Rep: i, Started: epoch, Finished: epoch.Add(time.Duration(measured)), MeasuredNs: measured,
			Scheduled: int64(s.n), Outcomes: map[string]int64{"answered": int64(s.n)}, RequestsPerS: perS,
			Histograms: map[string]results.Histogram{
				results.ServiceTime: histogram(t, s.n, mean*0.5, mean*1.5),
			},
			CoresBusy: 1.9,
			Audit:     &results.Audit{Checks: []results.Check{{Name: "scheduled = sum over outcomes", OK: true, Want: int64(s.n), Got: int64(s.n)}}},
		}
		if s.tollNs > 0 {
			r.Histograms[results.Toll] = histogram(t, s.n, s.tollNs*0.5, s.tollNs*1.5)
		}
		r.BytesOut = int64(s.n * max(results.BodyBytes(c.Body), 7))
		if c.StreamEvery != 0 {
			r.ContentFrames = int64(s.n / c.StreamEvery * c.Frames)
			r.CoalescedFrames = r.ContentFrames * 9 / 10
			r.Histograms[results.TTFT] = histogram(t, s.n/max(c.StreamEvery, 1), mean*0.4, mean*1.2)
		}
		use := func(ns int64) *results.Usage {
			return &results.Usage{CPUNs: ns * int64(s.n), PeakRSSBytes: 24 << 20, Processes: 1}
		}
		if c.Shape == contract.InProcess {
			r.Resources.Process = use(s.cpuNs + 26_000)
		} else {
			r.Resources.Generator, r.Resources.Mock = use(14_000), use(12_000)
			if c.Target != results.TargetFloor {
				r.Resources.Gateway = use(s.cpuNs + int64(i)*200)
				if c.Workers > 1 {
					r.Resources.Gateway.Processes = c.Workers + 1
				}
			}
		}
		if edit != nil {
			edit(&r)
		}
		run.Repetitions = append(run.Repetitions, r)
	}
}

// fullRun holds every section, small.
func fullRun(t *testing.T) *results.Run {
	t.Helper()
	run := newRun("20260314T092653Z-example-0123456789ab", epoch)
	run.Header.Fingerprint.Postgres = "15.6"
	for _, section := range []struct {
		name  string
		shape contract.Shape
	}{{"concurrency-external", contract.External}, {"concurrency-inprocess", contract.InProcess}} {
		for conc, perS := range map[int]float64{1: 9_000, 10: 27_000, 50: 30_000, 200: 25_000} {
			c := contract.Cell{Section: section.name, Shape: section.shape, Conc: conc, StreamEvery: 5, Frames: 4, Workers: 1, LogStore: "sqlite", Durability: "async"}
			c.Target = results.TargetGateway
			load(t, run, c, speed{perS, 33_000, 2_500, 60_000}, 3, nil)
			c.Target, c.Workers, c.LogStore, c.Durability = results.TargetFloor, 0, "", ""
			load(t, run, c, speed{perS * 2.4, 0, 2_500, 9_000}, 3, nil)
		}
	}
	for _, every := range []int{0, 1, 5} {
		for _, conc := range []int{10, 50} {
			c := contract.Cell{Section: "streaming", Shape: contract.External, Target: results.TargetGateway, Conc: conc, StreamEvery: every}
			if every != 0 {
				c.Frames = 4
			}
			load(t, run, c, speed{28_000 - 4_000/float64(max(every, 1))*float64(min(every, 1)), 30_000, 300, 0}, 3, nil)
		}
	}
	for _, workers := range []int{1, 2, 4} {
		for _, log := range []string{"off", "postgres"} {
			for _, section := range []string{"workers", "log-store"} {
				if section == "workers" && log == "off" {
					continue
				}
				c := contract.Cell{Section: section, Shape: contract.External, Target: results.TargetGateway, Conc: 100, StreamEvery: 5, Workers: workers, LogStore: log}
				perS := 20_000 + 3_000*float64(min(workers, 2))
				if log == "postgres" {
					c.Durability, perS = "async", perS-2_000
				}
				load(t, run, c, speed{perS, 35_000, 400, 0}, 3, func(r *results.Repetition) {
					if workers == 4 && log == "postgres" && r.Block == 1 {
						r.Marks = []string{results.MarkNoisy, results.MarkRetry}
						r.Attempt = 2
						r.Warnings = []string{"canary 1.8 × the run's median"}
					}
				})
			}
		}
	}
	run.Repetitions = append(run.Repetitions, results.Repetition{
		Cell:    contract.Cell{Section: "workers", Shape: contract.External, Target: results.TargetGateway, Conc: 100, StreamEvery: 5, Workers: 8, LogStore: "postgres", Durability: "async", Surface: "chat", Body: "90B", Engine: "conn", Profile: contract.Governed},
		Skipped: &results.Skipped{Reason: "no PostgreSQL server program", Install: "apt-get install postgresql"},
	})
	for workers, ms := range map[int]float64{1: 12, 2: 21, 4: 40} {
		for i := range 5 {
			run.Sections = append(run.Sections, results.Section{
				Cell: contract.Cell{Section: "boot", Shape: contract.External, Target: results.TargetGateway, Surface: "boot", Workers: workers},
				Rep:  i, Block: i,
				Boot: &results.Boot{HealthzNs: int64((ms + float64(i)/5) * 1e6), Processes: max(1, workers+min(workers-1, 1))},
			})
		}
	}
	stages := []struct {
		target  string
		profile contract.Profile
		body    string
		every   int
		ns      float64
	}{
		{results.TargetFloor, "", "90B", 0, 30_000},
		{results.TargetGateway, contract.Bare, "90B", 0, 70_000},
		{results.TargetGateway, contract.Governed, "90B", 0, 74_000},
		{results.TargetGateway, contract.Governed, "52KB", 0, 130_000},
		{results.TargetGateway, contract.Governed, "200KB", 0, 290_000},
		{results.TargetGateway, contract.Governed, "90B", 1, 75_000},
	}
	for _, s := range stages {
		c := contract.Cell{Section: "staged", Shape: contract.External, Target: s.target, Profile: s.profile, Body: s.body, StreamEvery: s.every, Conc: 1}
		load(t, run, c, speed{1e9 / s.ns, int64(s.ns / 2), 400, s.ns / 2}, 5, nil)
		if s.target == results.TargetFloor {
			continue
		}
		c.Shape = contract.Direct
		for i := range 5 {
			lo := s.ns / 10 * (1 + float64(i)/100)
			run.Sections = append(run.Sections, results.Section{
				Cell: c, Rep: i, Block: i,
				Direct: &results.Direct{Calls: 400, CallNs: histogram(t, 400, lo, lo*1.5), CPUNs: int64(400 * lo)},
			})
		}
	}
	for _, body := range []string{"90B", "52KB", "200KB", "thread|7.json"} {
		c := contract.Cell{Section: "bodies", Shape: contract.External, Target: results.TargetGateway, Body: body, Conc: 50}
		load(t, run, c, speed{20_000, 40_000, 300, 0}, 3, nil)
	}
	fillEngines(t, run)
	fillDirect(t, run)
	fillWaterfall(run)
	load(t, run, contract.Cell{Section: "mock", Shape: contract.External, Target: results.TargetFloor, Conc: 50}, speed{70_000, 0, 300, 9_000}, 3, func(r *results.Repetition) {
		r.Marks = []string{results.MarkGeneratorBound}
	})
	load(t, run, contract.Cell{Section: "kill", Shape: contract.External, Target: results.TargetGateway, Conc: 50, Workers: 4, LogStore: "postgres", Durability: "group", Kill: "worker"}, speed{15_000, 40_000, 400, 60_000}, 1, func(r *results.Repetition) {
		r.Outcomes = map[string]int64{"answered": 397, "reset": 3}
		r.Errors = []string{"read: connection reset by peer"}
		r.Log = &results.LogRows{Rows: 397, LostToKill: 3}
		r.Audit.Checks = append(r.Audit.Checks,
			results.Check{Name: "log rows + drops + lost to the kill = requests read whole", OK: true, Want: 400, Got: 400, Detail: "in flight at the kill: 8000010000000001, 8000010000000007, 800001000000000a"},
			results.Check{Name: "open reservations = 0", OK: false, Want: 0, Got: 1})
	})
	return run
}

// twoRuns is two sections from different days.
func twoRuns(t *testing.T) Input {
	t.Helper()
	a := newRun("20260314T092653Z-example-0123456789ab", epoch)
	load(t, a, contract.Cell{Section: "concurrency-external", Shape: contract.External, Target: results.TargetGateway, Conc: 50}, speed{30_000, 33_000, 400, 60_000}, 3, nil)
	b := newRun("20260401T120000Z-example-fedcba987654", epoch.AddDate(0, 0, 18))
	b.Header.Sources.GatewayCommit, b.Header.Sources.GatewayDirty = "fedcba9876543210", true
	load(t, b, contract.Cell{Section: "bodies", Shape: contract.External, Target: results.TargetGateway, Conc: 50}, speed{30_000, 33_000, 400, 60_000}, 3, nil)
	return Input{
		Published: &results.Published{Version: 1, Sections: map[string]string{"concurrency-external": a.Header.Name, "bodies": b.Header.Name}},
		Runs:      map[string]*results.Run{a.Header.Name: a, b.Header.Name: b},
	}
}
