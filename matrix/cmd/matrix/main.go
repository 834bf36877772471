// Command matrix measures what an LLM gateway costs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tollgate-lab/tollgate/matrix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(matrix.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
