package lint

import (
	"regexp"
	"strings"
)

// Kind is what a column holds.
type Kind uint8

// The kinds that rules use. Other columns are Unknown, and in no rule but as
// names of rows.
const (
	Unknown     Kind = iota
	Concurrency      // requests in flight, closed loop
	Offered          // the rate that was asked for: open loop
	Rate             // requests or operations per second
	Latency          // time of one request
	Toll             // what is added to it
	CPU              // CPU time of one request
	Samples          // measured requests
	Repeats          // repetitions
	Size             // bytes of one request or answer
	Bandwidth        // bytes per second
	Speedup          // a factor
	Share            // percent of requests
	Change           // percent of another figure
	Mix              // which requests are streamed
	Together         // frames that arrived together
	Product          // throughput times mean: Little's law, done
	Duration         // measured time
	TokensEach       // tokens of one request
	Quota            // a limit on tokens
	Status           // how requests ended, in words
	Failures         // a number of them
)

// Stat says which statistic of a distribution a column holds.
type Stat uint8

// Statistics.
const (
	Figure Stat = iota // just a figure
	Percentile
	Mean
	Max
	Min
)

// Column is a recognised column.
type Column struct {
	Name  string
	Kind  Kind
	Stat  Stat
	P     float64 // of Percentile, 0 to 100
	Group string  // what is left of the name: columns of one distribution agree in it
	Key   bool    // it tells rows apart
	unit  unit
	Unit  string // as the heading spells it
}

// measured reports whether the column holds results, not a condition.
func (c *Column) measured() bool {
	switch c.Kind {
	case Unknown, Concurrency, Offered, Size, Mix, TokensEach, Quota, Duration:
		return false
	}
	return true
}

var (
	percentileName = regexp.MustCompile(`\bp[ -]?(\d{2,3}(?:[.,]\d+)?)\b|\b(\d{2}(?:\.\d+)?)(?:th|st|nd|rd)?[ -]?(?:percentile|pctl|%ile)\b|\b(median)\b`)
	meanName       = regexp.MustCompile(`\b(mean|avg|average)\b\.?`)
	maxName        = regexp.MustCompile(`\b(max|maximum|worst|slowest)\b`)
	minName        = regexp.MustCompile(`\b(min|minimum|best|fastest)\b`)
	concName       = regexp.MustCompile(`^(c|conc|conc\.|concurrency|concurrent (users|requests|clients|connections|callers|tasks)|in[ -]flight|connections?|conns?|clients?|vus?|virtual users)$`)
	samplesName    = regexp.MustCompile(`^(n|requests?|samples?|# ?requests|number of requests|total requests|requests sent|measured requests|calls|iterations|count)$`)
	mixName        = regexp.MustCompile(`^(streamed|stream|streaming|stream share|streaming share|mix|stream mode|streams)$`)
	rateName       = regexp.MustCompile(`\b(rps|qps|throughput|req/s|reqs/s|requests?/s(ec)?|ops/s(ec)?|requests per second|operations per second)\b`)
	tollName       = regexp.MustCompile(`\b(toll|overhead|added|adds|added latency|gateway cost)\b`)
	latencyName    = regexp.MustCompile(`\b(latency|latencies|ttft|service time|response time|round trip|itl|tpot)\b`)
	statusName     = regexp.MustCompile(`^(status|statuses|status codes?|outcome|outcomes|result|answers|http|responses?|codes?)$`)
	failuresName   = regexp.MustCompile(`^(failed|failures|errors?|failed requests|non-200|non-2xx|timeouts)$`)
	repeatsName    = regexp.MustCompile(`^(reps|repetitions|runs|repeats)$`)
	shareName      = regexp.MustCompile(`\b(success|error rate|failure rate|hit rate|hits|errors|failed|answered|share of requests|ok)\b`)
	changeName     = regexp.MustCompile(`\b(change|delta|cost|difference|vs|effect)\b|δ|Δ|±`)
	speedupName    = regexp.MustCompile(`\b(speed-?up|times faster|factor|improvement)\b`)
	sizeName       = regexp.MustCompile(`\b(body|payload|size|message|request bytes|response bytes|bytes|answer)\b`)
)

// classify recognises a column by its heading, and where that names no unit
// by its cells.
func classify(heading string, g grid, i int) Column {
	c := Column{Name: heading}
	name := strings.ToLower(strings.TrimSpace(heading))
	var u unit
	u, c.Unit, _ = headingUnit(heading)
	c.unit = u
	dim := u.dim
	if dim == Plain {
		dim = cellDimension(g, i)
	}
	bare := strings.TrimSpace(cutParentheses(name))
	c.stat(name)
	c.Group = group(bare, strings.ToLower(c.Unit))
	named := c.Stat != Figure
	switch {
	case strings.Contains(name, "×") && rateName.MatchString(name) && meanName.MatchString(name):
		c.Kind, c.Stat, c.unit = Product, Figure, unit{}
	case concName.MatchString(bare):
		c.Kind = Concurrency
	case mixName.MatchString(bare):
		c.Kind = Mix
	case repeatsName.MatchString(bare):
		c.Kind = Repeats
	case statusName.MatchString(bare):
		c.Kind = Status
	case failuresName.MatchString(bare) && dim != Percent:
		c.Kind = Failures
	case strings.Contains(name, "together") && (strings.Contains(name, "frame") || strings.Contains(name, "coalesc")):
		c.Kind = Together
	case strings.Contains(name, "quota") || strings.Contains(name, "token budget") || strings.Contains(name, "token limit"):
		c.Kind = Quota
	case strings.Contains(name, "tokens") && dim != PerSecond && dim != Time && (strings.Contains(name, "each") || strings.Contains(name, "per req") || strings.Contains(name, "/req")):
		c.Kind = TokensEach
	case containsAny(name, "duration", "run time", "measured time", "wall time") && dim == Time:
		c.Kind = Duration
	case containsAny(name, "offered", "target rate", "target rps", "asked") && (dim == PerSecond || rateName.MatchString(name)):
		c.Kind = Offered
	case dim == ByteRate:
		c.Kind = Bandwidth
	case dim == CPUTime || strings.Contains(name, "cpu") && dim == Time:
		c.Kind = CPU
	case dim == PerSecond || dim == Plain && rateName.MatchString(name) && !strings.Contains(name, "token"):
		c.Kind = Rate
		if u.dim == Plain {
			c.unit = unit{PerSecond, 1}
		}
	case dim == Time && tollName.MatchString(name):
		c.Kind = Toll
	case dim == Time:
		c.Kind = Latency
	case dim == Plain && (named || latencyName.MatchString(name)) && !containsAny(name, "floor", "token", "size", "rss", "memory", "score"):
		// "p50" with no unit anywhere: comparable among themselves only.
		c.Kind = Latency
		if tollName.MatchString(name) {
			c.Kind = Toll
		}
	case samplesName.MatchString(bare):
		c.Kind = Samples
	case dim == Bytes && sizeName.MatchString(name) && !containsAny(name, "rss", "memory", "heap", "alloc"):
		c.Kind = Size
	case dim == Ratio || speedupName.MatchString(name) && (dim == Plain || dim == Ratio):
		c.Kind = Speedup
	case dim == Percent && shareName.MatchString(name):
		c.Kind = Share
	case dim == Percent && changeName.MatchString(name):
		c.Kind = Change
	}
	return c
}

func cutParentheses(s string) string {
	for {
		open := strings.IndexAny(s, "([")
		if open < 0 {
			return s
		}
		end := strings.IndexAny(s[open:], ")]")
		if end < 0 {
			return s[:open]
		}
		s = s[:open] + s[open+end+1:]
	}
}

func (c *Column) stat(name string) {
	if m := percentileName.FindStringSubmatch(name); m != nil {
		c.Stat = Percentile
		switch {
		case m[3] != "":
			c.P = 50
		default:
			text := m[1] + m[2]
			n, ok := scanNumber(text)
			if !ok {
				c.Stat = Figure
				return
			}
			c.P = n.value
			for c.P >= 100 { // p999 is p99.9
				c.P /= 10
			}
		}
		return
	}
	switch {
	case meanName.MatchString(name):
		c.Stat = Mean
	case maxName.MatchString(name):
		c.Stat = Max
	case minName.MatchString(name) && !strings.Contains(name, "/min"):
		c.Stat = Min
	}
}

// group is the name without statistic and unit: "toll p50 µs" and "toll p99
// µs" are of one distribution, "p50 ms" is of another.
func group(bare, unit string) string {
	for _, re := range []*regexp.Regexp{percentileName, meanName, maxName, minName} {
		bare = re.ReplaceAllString(bare, " ")
	}
	words := strings.Fields(bare)
	kept := words[:0]
	for _, w := range words {
		if w != unit && w != "latency" && w != "time" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// cellDimension is the dimension that the cells agree on; Plain when they do
// not, or have no unit.
func cellDimension(g grid, i int) Dimension {
	var dim Dimension
	for _, r := range g.rows {
		q, ok := ParseQuantity(r[i].Text)
		if !ok || !q.Figure() {
			continue
		}
		switch {
		case q.Dim == Plain || q.Dim == dim:
		case dim == Plain:
			dim = q.Dim
		default:
			return Plain
		}
	}
	return dim
}
