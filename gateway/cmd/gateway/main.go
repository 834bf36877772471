// Command gateway is tollgate's LLM gateway; "gateway --help" shows how it is
// used.
package main

import (
	"context"
	"os"

	"github.com/tollgate-lab/tollgate/gateway"
)

func main() {
	os.Exit(gateway.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
