package matrix

import (
	"context"
	"errors"
	"fmt"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/proxy"
	"github.com/tollgate-lab/tollgate/results"
)

// findProxies says which proxies cannot run here, and why.
func (l *lab) findProxies() error {
	l.facts.NoProxy = make(map[string]*results.Skipped)
	for _, name := range proxy.Names() {
		_, err := proxy.Find(name)
		var absent *proxy.NotInstalled
		switch {
		case errors.As(err, &absent):
			l.facts.NoProxy[name] = &results.Skipped{Reason: fmt.Sprintf("%s was not found", name), Install: absent.Install}
		case err != nil:
			return err
		}
	}
	return nil
}

// proxyVersions is what the proxies of the plan say of themselves, by target.
func (l *lab) proxyVersions(ctx context.Context) map[string]string {
	var out map[string]string
	for _, name := range proxy.Names() {
		if !l.needs(func(it *plan.Item) bool { return it.Cell.Target == name }) {
			continue
		}
		if file, err := proxy.Find(name); err == nil {
			if out == nil {
				out = make(map[string]string)
			}
			out[name] = proxy.Version(ctx, name, file)
		}
	}
	return out
}
