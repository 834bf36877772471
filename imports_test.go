package tollgate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tollgate-lab/tollgate"

// rule forbids imports. A package matches a pattern when it is equal to it, or
// lies below it when the pattern ends in "/...". Module-relative patterns
// start with "./".
type rule struct {
	from   []string // who
	except []string // but not these
	never  []string // must not reach, even through others; "direct:" checks the import itself only
	allow  []string // exceptions among never
	reason string
}

// rules is the table of who may import whom. Each row says why.
var rules = []rule{
	{
		from: []string{"./loadgen/..."}, never: []string{"./gateway/...", "./mockupstream/...", "./matrix/..."},
		reason: "an instrument that shares its parser with what it measures cannot see that parser's faults",
	},
	{
		from: []string{"./mockupstream/..."}, never: []string{"./gateway/...", "./loadgen/...", "./matrix/..."},
		reason: "the mock's ground truth must not come from the code that it judges",
	},
	{
		from: []string{"./gateway/..."}, never: []string{"./mockupstream/...", "./loadgen/...", "./matrix/...", "./results/...", "./micro/..."},
		reason: "the gateway ships without its laboratory",
	},
	{
		from: []string{"./results/contract"}, never: []string{"./...", "github.com/...", "golang.org/x/..."}, allow: []string{"./results/contract"},
		reason: "the contract is the standard library only, so that everything that measures can afford it",
	},
	{
		from:   []string{"./gateway/exchange", "./gateway/dialect/...", "./gateway/wire", "./gateway/admission", "./gateway/ledger", "./gateway/logrow", "./gateway/price", "./gateway/direct"},
		never:  []string{"github.com/jackc/...", "zombiezen.com/...", "modernc.org/...", "database/sql", "net/http", "github.com/prometheus/..."},
		reason: "the hot path is pure: it knows no store, no driver and no HTTP library",
	},
	{
		from:   []string{"./gateway/exchange", "./gateway/dialect/..."},
		never:  []string{"net", "os", "direct:time", "direct:sync"},
		allow:  nil,
		reason: "the exchange does no I/O and reads no clock: it can be split at every byte, replayed and measured with no socket",
	},
	{
		from: []string{"./..."}, except: []string{"./gateway/logstore/pglog"}, never: []string{"direct:github.com/jackc/..."},
		reason: "one package alone speaks to PostgreSQL",
	},
	{
		from: []string{"./..."}, except: []string{"./gateway/logstore/sqlitelog"}, never: []string{"direct:zombiezen.com/...", "direct:modernc.org/..."},
		reason: "one package alone speaks to SQLite",
	},
	{
		from: []string{"./results/..."}, never: []string{"./gateway/...", "./loadgen/...", "./mockupstream/...", "./matrix/..."},
		reason: "results are read by tools that hold none of the programs which made them",
	},
	{
		from: []string{"./matrix/internal/report/..."}, never: []string{"./gateway/...", "./mockupstream/..."},
		reason: "a report is a function of results alone",
	},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestImportRules(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	for _, r := range rules {
		if r.reason == "" {
			t.Errorf("rule for %v has no reason", r.from)
		}
		for _, pattern := range r.from {
			if !slices.ContainsFunc(pkgs, func(p listed) bool { return matches(pattern, p.ImportPath) }) {
				t.Errorf("rule names %s, which matches no package", pattern)
			}
		}
		for _, p := range pkgs {
			for _, v := range r.violations(p) {
				t.Errorf("%s\n\treason: %s", v, r.reason)
			}
		}
	}
}

// TestImportRulesFire shows each rule failing once, on a made-up package.
func TestImportRulesFire(t *testing.T) {
	for _, r := range rules {
		for _, never := range r.never {
			from := strings.TrimSuffix(full(r.from[0]), "/...")
			name, direct := strings.CutPrefix(never, "direct:")
			bad := strings.TrimSuffix(full(name), "/...")
			if r.except != nil {
				from += "/made-up"
			}
			if bad == module {
				bad += "/made-up"
			}
			p := listed{ImportPath: from, Deps: []string{bad}}
			if direct {
				p = listed{ImportPath: from, Imports: []string{bad}}
			}
			if len(r.violations(p)) == 0 {
				t.Errorf("rule %v never %s does not fire on %s importing %s", r.from, never, from, bad)
			}
		}
	}
}

func (r *rule) violations(p listed) (out []string) {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool { return matches(pattern, p.ImportPath) })
	}
	if !in(r.from) || in(r.except) {
		return nil
	}
	for _, never := range r.never {
		deps := p.Deps
		pattern, direct := strings.CutPrefix(never, "direct:")
		if direct {
			deps = p.Imports
		}
		for _, d := range deps {
			allowed := slices.ContainsFunc(r.allow, func(a string) bool { return matches(a, d) })
			if matches(pattern, d) && !allowed && d != p.ImportPath {
				out = append(out, fmt.Sprintf("%s reaches %s", p.ImportPath, d))
			}
		}
	}
	return out
}

func full(pattern string) string {
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		return module + "/" + rest
	}
	return pattern
}

func matches(pattern, path string) bool {
	pattern = full(pattern)
	if pattern == module+"/..." {
		return path == module || strings.HasPrefix(path, module+"/")
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// TestMicroHoldsTestsOnly keeps micro what it says it is.
func TestMicroHoldsTestsOnly(t *testing.T) {
	entries, err := os.ReadDir("micro")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, ".go") && n != "doc.go" && !strings.HasSuffix(n, "_test.go") {
			t.Errorf("micro/%s: micro holds doc.go and tests only", n)
		}
	}
}
