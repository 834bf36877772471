package results

import "fmt"

// Fingerprint is the machine and software that a run's figures belong to.
// Empty or zero means unknown.
type Fingerprint struct {
	CPUModel       string `json:"cpu_model"`
	CPUs           int    `json:"cpus"`         // logical
	MemoryBytes    int64  `json:"memory_bytes"` // total
	OS             string `json:"os"`           // "linux/amd64", with the distribution's name when known
	Kernel         string `json:"kernel"`
	Go             string `json:"go"` // of the binaries that ran
	GOMAXPROCS     int    `json:"gomaxprocs"`
	CPUQuotaMilli  int64  `json:"cpu_quota_milli"`         // cgroup limit in 1/1000 core; 0: none
	Governor       string `json:"governor,omitempty"`      // cpufreq; empty where there is none
	Virtualization string `json:"virtualization"`          // "kvm", "docker", "none"
	ClockErrorNs   int64  `json:"clock_error_ns"`          // contract.ClockError; -1: stamps cannot be joined
	Postgres       string `json:"postgres,omitempty"`      // server version, when a cell used it
	OpenFilesLimit int64  `json:"open_files_limit"`        // RLIMIT_NOFILE, soft
	Hostname       string `json:"hostname_hash,omitempty"` // hash of the host's name
}

// Differences names what forbids a comparison of times between two machines:
// CPU model and count, kernel, Go, GOMAXPROCS, quota, governor. Empty: none.
func (f *Fingerprint) Differences(g *Fingerprint) []string {
	var out []string
	differ := func(name string, a, b any) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %v against %v", name, a, b))
		}
	}
	differ("CPU model", f.CPUModel, g.CPUModel)
	differ("CPU count", f.CPUs, g.CPUs)
	differ("kernel", f.Kernel, g.Kernel)
	differ("Go", f.Go, g.Go)
	differ("GOMAXPROCS", f.GOMAXPROCS, g.GOMAXPROCS)
	differ("CPU quota (1/1000 core)", f.CPUQuotaMilli, g.CPUQuotaMilli)
	differ("governor", f.Governor, g.Governor)
	return out
}
