// Package compare measures ours against a yardstick in one run: our gateway
// beside nginx as a plain reverse proxy, our generator beside wrk.
//
// Both sides run in every block, one after the other, with fresh processes, in
// an order that swaps from block to block; the ratio is taken within a block,
// so that the host's drift falls out of it. What is compared is CPU time per
// request of the process (tree), which survives a noisy host better than any
// wall time.
package compare
