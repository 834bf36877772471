package results

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// compareCells orders the cells of a section as a reader expects them:
// numbers rise, and the floor stands under what it is the floor of. The run's
// own order is random.
func compareCells(a, b *contract.Cell) int {
	return cmp.Or(
		strings.Compare(string(a.Shape), string(b.Shape)),
		cmp.Compare(a.Conc, b.Conc),
		cmp.Compare(a.RatePerS, b.RatePerS),
		cmp.Compare(streamRank(a.StreamEvery), streamRank(b.StreamEvery)),
		cmp.Compare(bodyRank(a.Body), bodyRank(b.Body)),
		strings.Compare(a.Body, b.Body),
		strings.Compare(targetRank(a.Target), targetRank(b.Target)),
		cmp.Compare(a.Workers, b.Workers),
		cmp.Compare(profileRank(a.Profile), profileRank(b.Profile)),
		strings.Compare(a.Key(), b.Key()),
	)
}

// bodyRank puts the embedded bodies first, by size, then files.
func bodyRank(name string) int {
	if n := BodyBytes(name); n > 0 {
		return n
	}
	return math.MaxInt
}

// streamRank puts the smaller share of streams first: never, every Nth with N
// falling, always.
func streamRank(every int) float64 {
	if every <= 0 {
		return 0
	}
	return 1 / float64(every)
}

func targetRank(target string) string {
	switch target {
	case TargetGateway:
		return ""
	case TargetFloor:
		return "\U0010ffff"
	}
	return target
}

func profileRank(p contract.Profile) int {
	for i, q := range [...]contract.Profile{contract.Bare, contract.Auth, contract.Governed, contract.Full} {
		if p == q {
			return i
		}
	}
	return -1
}

// Targets of a cell.
const (
	TargetGateway = "gateway"
	TargetFloor   = "floor" // straight to the mock
	TargetNginx   = "nginx" // nginx and haproxy as plain reverse proxies
	TargetHaproxy = "haproxy"
)

// BodyBytes is the size that an embedded body's name states ("90B", "52KB"),
// in bytes; 0 for a file's name.
func BodyBytes(name string) int {
	digits := strings.TrimRight(name, "KB")
	n, err := strconv.ParseUint(digits, 10, 20)
	switch unit := name[len(digits):]; {
	case err != nil:
		return 0
	case unit == "B":
		return int(n)
	case unit == "KB":
		return int(n) * 1000
	}
	return 0
}
