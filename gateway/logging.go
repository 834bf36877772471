package gateway

import (
	"io"
	"log/slog"

	"github.com/tollgate-lab/tollgate/gateway/config"
)

// newLogger writes the gateway's own messages to w. The config is valid.
func newLogger(l config.Logging, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "text" {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}
