package gateway

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxToken bounds what hash-key reads.
const maxToken = 4096

// hashKey prints the SHA-256 of the token on standard input.
func hashKey(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "gateway: hash-key takes the token on standard input, not as an argument, where others could see it")
		return exitUsage
	}
	line, err := bufio.NewReader(io.LimitReader(stdin, maxToken)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "gateway: hash-key:", err)
		return exitFault
	}
	token := strings.TrimSpace(line)
	if token == "" || len(line) == maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		fmt.Fprintf(stderr, "gateway: hash-key: want one token of visible ASCII, less than %d bytes long\n", maxToken)
		return exitUsage
	}
	fmt.Fprintln(stdout, digest(token))
	return exitOK
}

// newKey prints a fresh token and its hash. The token is shown this once.
func newKey(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "gateway: new-key takes no argument")
		return exitUsage
	}
	token := "sk-tg-" + rand.Text() + rand.Text()
	fmt.Fprintf(stdout, "token:  %s\nsha256: %s\n", token, digest(token))
	return exitOK
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
