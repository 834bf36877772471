package nethttp_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/enginetest"
	"github.com/tollgate-lab/tollgate/gateway/engine/nethttp"
)

func start(t *testing.T, o engine.Options) engine.Engine {
	t.Helper()
	e, err := nethttp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Traits{}, start)
}
