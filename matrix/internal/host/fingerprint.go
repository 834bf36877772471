package host

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Fingerprint reads the machine. What cannot be read stays empty or zero.
func Fingerprint() results.Fingerprint {
	f := results.Fingerprint{
		CPUs:         runtime.NumCPU(),
		OS:           runtime.GOOS + "/" + runtime.GOARCH,
		Go:           runtime.Version(),
		GOMAXPROCS:   runtime.GOMAXPROCS(0),
		ClockErrorNs: contract.ClockError(),
	}
	if name, err := os.Hostname(); err == nil {
		f.Hostname = Hash(name)
	}
	system(&f)
	return f
}

// Hash is the first 12 hexadecimal digits of s's SHA-256: enough to tell
// hosts apart, and it names none.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// BootHash identifies the time since the host's boot; "" when it is unknown.
func BootHash() string {
	id := bootID()
	if id == "" {
		return ""
	}
	return Hash(id)
}

// field is the value of the first line "name : value" of a file such as
// /proc/cpuinfo.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memTotal is MemTotal of /proc/meminfo in bytes.
func memTotal(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(field(text, "MemTotal"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// quotaMilli reads cgroup v2's cpu.max, "QUOTA PERIOD" in µs or "max PERIOD".
func quotaMilli(text string) int64 {
	quota, period, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		return 0
	}
	q, err := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q * 1000 / p
}

// distribution is PRETTY_NAME of /etc/os-release.
func distribution(text string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}
