package stack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"github.com/tollgate-lab/tollgate/results/contract"
)

const (
	// Token is the virtual key of every load cell. It guards nothing: the gateway
	// that knows it listens on loopback for one repetition.
	Token = "tg-lab-load-key"
	// budgetDollars is far more than any cell can spend, so that a refusal is a
	// fault.
	budgetDollars = 1_000_000
	// BudgetNano is the same in 1e-9 dollars.
	BudgetNano = int64(budgetDollars) * 1_000_000_000
	// dsnEnv names the variable that carries the log's connection string.
	dsnEnv = "TOLLGATE_LAB_LOG_DSN"
)

// gatewayConfig is what the template below is filled with.
type gatewayConfig struct {
	Listen, Control string
	Upstream        string // host:port of the mock
	Engine          string
	Workers         int
	Auth, Governed  bool
	Store           string
	Durability      string
	LogDir          string
	StateDir        string
	KeySHA256       string
	BudgetDollars   int
	DSNEnv          string
}

// configText is a gateway's config for a cell. Everything that is not an axis
// is the gateway's default, so that what is measured is what users get.
var configText = template.Must(template.New("gateway.yaml").Funcs(template.FuncMap{"q": quote}).Parse(
	`listen: {{q .Listen}}
control: { listen: {{q .Control}} }
engine: {{.Engine}}
workers: {{.Workers}}
drain_timeout: 10s
providers:
  - name: mock
    base_url: {{q (printf "http://%s/v1" .Upstream)}}
models:
  - name: "*"
    price: { input_per_mtok: 1.00, output_per_mtok: 2.00 }
{{- if .Auth}}
keys:
  - name: load
    sha256: {{.KeySHA256}}
{{- if .Governed}}
    budget: { dollars: {{.BudgetDollars}} }
    rpm: 1000000000
    tpm: 1000000000
{{- end}}
{{- end}}
stages: { auth: {{.Auth}}, admission: {{.Governed}}, ledger: {{.Governed}} }
log:
  store: {{q .Store}}
{{- if .Durability}}
  durability: {{.Durability}}
{{- end}}
  path: {{q .LogDir}}
  dsn_env: {{.DSNEnv}}
state: { dir: {{q .StateDir}} }
logging: { level: warn }
`))

// quote is s as a YAML double-quoted scalar. Paths and addresses hold no
// control characters.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// configFor fills the config of a cell.
func configFor(c *contract.Cell, listen, control, upstream, dir string) (string, error) {
	sum := sha256.Sum256([]byte(Token))
	g := gatewayConfig{
		Listen: listen, Control: control, Upstream: upstream,
		Engine: cmp.Or(c.Engine, "conn"), Workers: max(c.Workers, 1),
		Store: c.LogStore, Durability: c.Durability,
		LogDir: dir + "/log", StateDir: dir + "/state",
		KeySHA256: hex.EncodeToString(sum[:]), BudgetDollars: budgetDollars, DSNEnv: dsnEnv,
	}
	switch c.Profile {
	case contract.Bare:
	case contract.Auth:
		g.Auth = true
	case contract.Governed:
		g.Auth, g.Governed = true, true
	default:
		return "", fmt.Errorf("gateway config: profile %q is not known here", c.Profile)
	}
	if g.Store == "" {
		g.Store = "off"
	}
	if g.Store == "off" || g.Store == "memory" {
		g.Durability = ""
	}
	var b strings.Builder
	if err := configText.Execute(&b, g); err != nil {
		return "", fmt.Errorf("gateway config: %w", err)
	}
	return b.String(), nil
}

// HasLedger reports whether the cell's gateway keeps sums of money and tokens.
func HasLedger(c *contract.Cell) bool { return c.Target == "gateway" && c.Profile == contract.Governed }
