package host

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/results"
)

func text(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func bootID() string { return strings.TrimSpace(text("/proc/sys/kernel/random/boot_id")) }

func system(f *results.Fingerprint) {
	cpuinfo := text("/proc/cpuinfo")
	f.CPUModel = field(cpuinfo, "model name")
	f.MemoryBytes = memTotal(text("/proc/meminfo"))
	if d := distribution(text("/etc/os-release")); d != "" {
		f.OS += " " + d
	}
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		f.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	f.CPUQuotaMilli = quotaMilli(text("/sys/fs/cgroup/cpu.max"))
	f.Governor = strings.TrimSpace(text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
	f.Virtualization = virtualization(cpuinfo)
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &lim) == nil {
		f.OpenFilesLimit = int64(min(lim.Cur, 1<<62))
	}
}

// virtualization names what the host runs in, as far as its own files tell.
func virtualization(cpuinfo string) string {
	var kinds []string
	switch {
	case strings.Contains(strings.ToLower(text("/sys/class/dmi/id/sys_vendor")), "qemu"),
		strings.Contains(strings.ToLower(text("/sys/class/dmi/id/product_name")), "kvm"):
		kinds = append(kinds, "kvm")
	case strings.Contains(" "+field(cpuinfo, "flags")+" ", " hypervisor "):
		kinds = append(kinds, "hypervisor")
	}
	if _, err := os.Stat("/.dockerenv"); err == nil {
		kinds = append(kinds, "docker")
	}
	if len(kinds) == 0 {
		return "none"
	}
	return strings.Join(kinds, "+")
}
