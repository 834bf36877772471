package conn_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/conn"
	"github.com/tollgate-lab/tollgate/gateway/engine/enginetest"
)

func start(t *testing.T, o engine.Options) engine.Engine {
	t.Helper()
	e, err := conn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Traits{BadHeads: true, SlowHead: true, KeepsCase: true, HalfClosed: true}, start)
}
