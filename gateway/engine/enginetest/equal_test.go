package enginetest_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/conn"
	"github.com/tollgate-lab/tollgate/gateway/engine/enginetest"
	"github.com/tollgate-lab/tollgate/gateway/engine/nethttp"
)

var engines = map[string]enginetest.Start{
	"conn": func(t *testing.T, o engine.Options) engine.Engine {
		e, err := conn.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	},
	"nethttp": func(t *testing.T, o engine.Options) engine.Engine {
		e, err := nethttp.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	},
}

func TestEnginesAreEqual(t *testing.T) { enginetest.Equal(t, engines) }
