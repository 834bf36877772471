package mockupstream

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// maxScriptBytes bounds a script sent to the control port: twice its longest
// text, which JSON may need for escapes, and some room.
const maxScriptBytes = 2*maxTextBytes + 1<<20

// controlHandler serves the control port. It uses the standard server: nobody
// measures it, and it is idle while anything is measured.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+contract.PathTruth, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, s.Truth())
	})
	mux.HandleFunc("DELETE "+contract.PathTruth, func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+contract.PathStamps, func(w http.ResponseWriter, _ *http.Request) {
		writeStamps(w, s.Stamps())
	})
	mux.HandleFunc("GET "+contract.PathScript, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, s.Script())
	})
	mux.HandleFunc("PUT "+contract.PathScript, s.putScript)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

func (s *Server) putScript(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxScriptBytes))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	sc, err := DecodeScript(raw)
	if err == nil {
		err = s.SetScript(sc)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, s.Script())
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}

// writeStamps sends the stamps' records, a few thousand at a time.
func writeStamps(w http.ResponseWriter, stamps []contract.MockStamp) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(stamps)*contract.MockStampSize))
	const batch = 4096
	var buf []byte
	for len(stamps) > 0 {
		n := min(batch, len(stamps))
		buf = buf[:0]
		for i := range n {
			buf = contract.AppendStamp(buf, &stamps[i])
		}
		if _, err := w.Write(buf); err != nil {
			return // the reader left
		}
		stamps = stamps[n:]
	}
}
