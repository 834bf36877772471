package drive

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// embeddingBody is an embeddings request of 90 bytes, as its cells' body says.
const embeddingBody = `{"model":"bench","input":"A sentence whose place among others is asked for, as ever....."}`

// job is the load of a cell. Target, key and nonce are the stack's.
func job(c *contract.Cell, dataDir string) (loadgen.Job, error) {
	j := loadgen.Job{
		Join: contract.JoinHeader, Client: c.Client,
		Conc: c.Conc, Requests: c.Requests, Warmup: c.Warmup,
		StreamEvery: c.StreamEvery, RatePerS: c.RatePerS, Arrivals: c.Arrivals, Seed: 1,
		KeepRecords: true,
	}
	switch c.Surface {
	case "chat":
		body, err := bodies.Read(dataDir, c.Body)
		if err != nil {
			return j, err
		}
		j.Path, j.ExpectContent = "/v1/chat/completions", stack.Content(c)
		j.Body, err = bodies.Plain(body)
		return j, err
	case "embeddings":
		if c.Body != "90B" || c.StreamEvery != 0 {
			return j, fmt.Errorf("surface embeddings has body 90B and no stream")
		}
		j.Path, j.Body = "/v1/embeddings", []byte(embeddingBody)
		return j, nil
	}
	return j, fmt.Errorf("no load for surface %q", c.Surface)
}
