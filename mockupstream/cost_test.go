package mockupstream

import (
	"strings"
	"testing"
)

var costs = []struct {
	name    string
	script  Script
	request string
}{
	{"plain", Script{}, post(chat, "HTTP/1.1", withID(1), plainBody)},
	{"http10", Script{}, post(chat, "HTTP/1.0", "Connection: Keep-Alive\r\n", plainBody)},
	{"stream", Script{}, post(chat, "HTTP/1.1", withID(1), streamBody)},
	{"stream-usage", Script{}, post(chat, "HTTP/1.1", withID(1), usageBody)},
	{"stream-coalesced", Script{Coalesce: true}, post(chat, "HTTP/1.1", withID(1), streamBody)},
	{"embeddings", Script{}, post("/v1/embeddings", "HTTP/1.1", withID(1), `{"model":"e","input":"x"}`)},
	{"models", Script{}, "GET /v1/models HTTP/1.1\r\nHost: m\r\n\r\n"},
	{"chars4", Script{PromptMode: PromptChars4}, post(chat, "HTTP/1.1", withID(1), usageBody)},
	{"rare-fault", Script{Faults: []Fault{{Kind: FaultStatus, Status: 500, Every: 3}}}, post(chat, "HTTP/1.1", withID(1), plainBody)},
	{"200KB", Script{}, post(chat, "HTTP/1.1", withID(1), `{"model":"m","messages":[{"role":"user","content":"`+strings.Repeat(`some words in a row\n`, 10_000)+`"}]}`)},
}

// No request allocates once a connection is warm.
func TestAllocations(t *testing.T) {
	for _, tc := range costs {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, tc.script)
			c := newConn(srv, &memConn{input: []byte(tc.request), turns: -1}, srv.shards.take())
			run := func() {
				if !c.exchange() {
					t.Fatal("the connection ended")
				}
			}
			for range 2 * blockStamps {
				run() // fills the caches and takes the blocks that the measured part writes on
			}
			if got := testing.AllocsPerRun(blockStamps/2, run); got != 0 {
				t.Errorf("%g allocations per request", got)
			}
		})
	}
}

func TestWritesPerAnswer(t *testing.T) {
	for name, want := range map[string]int{"plain": 1, "stream": 7, "stream-usage": 8, "stream-coalesced": 1} {
		for _, tc := range costs {
			if tc.name != name {
				continue
			}
			if got := talk(t, newServer(t, tc.script), tc.request, 0).writes; got != want {
				t.Errorf("%s: %d writes, want %d", name, got, want)
			}
		}
	}
}

// BenchmarkExchange is a request read and answered in memory; its floor reads
// and writes the same bytes without looking at them.
func BenchmarkExchange(b *testing.B) {
	for _, tc := range costs {
		srv := newServer(b, tc.script)
		answer := talk(b, srv, tc.request, 0).output.Bytes()
		b.Run("request="+tc.name, func(b *testing.B) {
			b.ReportAllocs()
			c := newConn(srv, &memConn{input: []byte(tc.request), turns: -1}, srv.shards.take())
			for b.Loop() {
				c.exchange()
			}
		})
		b.Run("floor="+tc.name, func(b *testing.B) {
			b.ReportAllocs()
			mc := &memConn{input: []byte(tc.request), turns: -1}
			buf := make([]byte, bodyBuffer)
			for b.Loop() {
				for left := len(tc.request); left > 0; {
					n, err := mc.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					left -= n
				}
				if _, err := mc.Write(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
