package proxy

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"regexp"
)

// Names of the proxies, which are the targets of their cells.
const (
	Nginx   = "nginx"
	Haproxy = "haproxy"
)

// A kind is what is known of a proxy before it runs.
type kind struct {
	name    string
	install string         // what to install
	version *regexp.Regexp // in what -v prints
	conf    string         // name of its embedded config
	args    func(dir, conf string) []string
	// processes is how many it consists of with so many workers.
	processes func(workers int) int
}

var kinds = []kind{
	{
		name: Nginx, install: "package nginx-light (Debian, Ubuntu) or nginx (Fedora, Homebrew)",
		version:   regexp.MustCompile(`nginx/[0-9][0-9A-Za-z.-]*`),
		conf:      "nginx.conf",
		args:      func(dir, conf string) []string { return []string{"-p", dir, "-e", "stderr", "-c", conf} },
		processes: func(workers int) int { return workers + 1 },
	},
	{
		name: Haproxy, install: "package haproxy",
		version:   regexp.MustCompile(`(?i:HAProxy version) ([0-9][0-9A-Za-z.]*)`),
		conf:      "haproxy.cfg",
		args:      func(_, conf string) []string { return []string{"-W", "-db", "-f", conf} }, // master and worker, in the foreground
		processes: func(int) int { return 2 },
	},
}

func kindOf(name string) (kind, bool) {
	for _, k := range kinds {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// Names is every proxy that the package can run.
func Names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Known reports whether a cell's target is a proxy of this package.
func Known(target string) bool {
	_, ok := kindOf(target)
	return ok
}

// NotInstalled is the error of Find.
type NotInstalled struct {
	Name    string
	Install string // what to install, in words
}

func (e *NotInstalled) Error() string {
	return fmt.Sprintf("%s was not found: install %s", e.Name, e.Install)
}

// Find is the program: on PATH, or where systems keep what administrators run.
func Find(name string) (file string, err error) {
	k, ok := kindOf(name)
	if !ok {
		return "", fmt.Errorf("no proxy %q is known, only %q", name, Names())
	}
	for _, dir := range []string{"", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"} {
		if p, err := exec.LookPath(path.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", &NotInstalled{Name: name, Install: k.install}
}

// Version is what the program says of itself, "nginx/1.22.1" or
// "haproxy/2.6.12"; its bare name when it says nothing that is understood.
func Version(ctx context.Context, name, file string) string {
	out, err := exec.CommandContext(ctx, file, "-v").CombinedOutput()
	if err != nil {
		return name
	}
	return versionIn(name, string(out))
}

func versionIn(name, text string) string {
	k, _ := kindOf(name)
	if k.version == nil {
		return name
	}
	switch m := k.version.FindStringSubmatch(text); len(m) {
	case 1:
		return m[0]
	case 2:
		return name + "/" + m[1]
	}
	return name
}
