package enginetest_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/epoll"
)

func init() {
	engines["epoll"] = func(t *testing.T, o engine.Options) engine.Engine {
		e, err := epoll.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}
