package epoll

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Traits{BadHeads: true, SlowHead: true, KeepsCase: true, HalfClosed: false}, func(t *testing.T, o engine.Options) engine.Engine {
		if o.TLS != nil || o.UpstreamTLS != nil {
			t.Skip("plaintext only: TLS stays on conn and nethttp")
		}
		e, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}
