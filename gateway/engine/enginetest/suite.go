package enginetest

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
)

// Start makes the engine under test.
type Start func(t *testing.T, o engine.Options) engine.Engine

// Traits is what engines may differ in.
type Traits struct {
	// BadHeads: heads that cannot be read are answered by an exchange (in the
	// gateway's error format), and what is ambiguous is refused. Without it the
	// engine's library answers, and may accept what is only untidy.
	BadHeads bool
	// SlowHead: a head that does not come in time is answered 408; without it
	// the connection ends.
	SlowHead bool
	// KeepsCase: header names arrive upstream in the client's own case.
	KeepsCase bool
	// HalfClosed: a client that sent requests ahead and then closed its writing
	// side gets every answer.
	HalfClosed bool
}

// story is one behaviour.
type story struct {
	name string
	tell func(t *testing.T, s *suite)
}

type suite struct {
	start  Start
	traits Traits
}

// Run tells every story to an engine.
func Run(t *testing.T, traits Traits, start Start) {
	s := &suite{start: start, traits: traits}
	for _, st := range aloneStories {
		t.Run(st.name, func(t *testing.T) { st.tell(t, s) })
	}
	for _, list := range [][]story{
		plainStories, streamStories, requestStories, refusalStories, upstreamStories,
		leavingStories, rowStories, shutdownStories, tlsStories, cancelStories, slowStories,
	} {
		for _, st := range list {
			t.Run(st.name, func(t *testing.T) {
				t.Parallel()
				st.tell(t, s)
			})
		}
	}
}
