package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/tollgate-lab/tollgate/loadgen"
)

// readBodies fills in what the job sends and expects.
func readBodies(job *loadgen.Job, bodyFile, expectFile, model string) error {
	var err error
	switch {
	case bodyFile != "":
		if job.Body, err = readFile(bodyFile); err != nil {
			return fmt.Errorf("--body: %w", err)
		}
	case strings.HasSuffix(job.Path, "/chat/completions") && (job.Method == "" || job.Method == "POST"):
		job.Body = shortChat(model)
	}
	if expectFile == "" {
		return nil
	}
	expect, err := readFile(expectFile)
	if err != nil {
		return fmt.Errorf("--expect: %w", err)
	}
	job.ExpectContent = string(expect)
	return nil
}

func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}

// shortChat is a chat completion of one short message.
func shortChat(model string) []byte {
	name, err := json.Marshal(model)
	if err != nil {
		panic(err) // a string always marshals
	}
	return fmt.Appendf(nil, `{"model":%s,"messages":[{"role":"user","content":"Say hello in one word."}]}`, name)
}

// nonce tells the ids of this run from those of others.
func nonce() uint32 { return rand.Uint32() }

// headerFlag gathers --header flags.
type headerFlag map[string]string

func (h headerFlag) String() string { return "" }

func (h headerFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	if !ok {
		return fmt.Errorf("%q has no colon", s)
	}
	h[strings.TrimSpace(name)] = strings.TrimSpace(value)
	return nil
}
