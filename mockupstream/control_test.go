package mockupstream

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestControlPort(t *testing.T) {
	srv := start(t, Options{})
	call := func(method, path, body string) (int, []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+srv.ControlAddr()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, b
	}
	c := dial(t, srv)
	for i := range uint64(3) {
		if _, _, err := c.ask(t, post(chat, "HTTP/1.1", withID(i+1), streamBody)); err != nil {
			t.Fatal(err)
		}
	}
	if status, b := call("GET", "/healthz", ""); status != 200 || string(b) != "ok\n" {
		t.Errorf("healthz: %d %q", status, b)
	}
	var g contract.GroundTruth
	if status, b := call("GET", contract.PathTruth, ""); status != 200 || json.Unmarshal(b, &g) != nil || g.Answered != 3 {
		t.Errorf("truth: %d %s", status, b)
	}
	_, b := call("GET", contract.PathStamps, "")
	stamps, err := contract.ReadStamps(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(srv.Stamps(), stamps); d != "" || len(stamps) != 3 {
		t.Errorf("%d stamps; (-own +sent):\n%s", len(stamps), d)
	}
	if status, b := call("PUT", contract.PathScript, `{"frames":2}`); status != 200 || !strings.Contains(string(b), `"frames": 2`) {
		t.Errorf("script: %d %s", status, b)
	}
	// The very next request of a connection that was idle is under the new script.
	if _, body, err := c.ask(t, post(chat, "HTTP/1.1", "", streamBody)); err != nil || strings.Contains(string(body), "t002") || !strings.Contains(string(body), "t001") {
		t.Errorf("after the new script: %v %s", err, body)
	}
	if status, b := call("PUT", contract.PathScript, `{"frame":2}`); status != 400 || !strings.Contains(string(b), `"frame"`) {
		t.Errorf("unknown key: %d %s", status, b)
	}
	var s Script
	if status, b := call("GET", contract.PathScript, ""); status != 200 || json.Unmarshal(b, &s) != nil || s.Frames != 2 || s.PromptTokens != 7 {
		t.Errorf("script: %d %s", status, b)
	}
	if status, _ := call("DELETE", contract.PathTruth, ""); status != 204 || srv.Truth().Received != 0 {
		t.Errorf("reset: %d", status)
	}
	if status, _ := call("POST", contract.PathTruth, ""); status != 405 {
		t.Errorf("wrong method: %d", status)
	}
}
