package proxy

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"text/template"
)

//go:embed nginx.conf haproxy.cfg
var files embed.FS

var configs = template.Must(template.ParseFS(files, "nginx.conf", "haproxy.cfg"))

// A config's figures.
const (
	unknownBody  = 1 << 20 // buffer of a body whose size is not known
	leastBuffer  = 16 << 10
	aboveBody    = 8 << 10 // of haproxy's buffer: head and rewriting space
	pageOfBuffer = 4 << 10
)

// config fills the embedded config of a name.
func config(name string, o *Options, listen string) ([]byte, error) {
	own := ""
	if os.Geteuid() == 0 {
		// A master that is root would give its workers to nobody, who cannot read
		// the folder: they stay as they are.
		if u, err := user.Current(); err == nil {
			own = u.Username
		}
	}
	var b bytes.Buffer
	err := configs.ExecuteTemplate(&b, name, struct {
		Workers                     int
		User, Dir, Upstream, Listen string
		Unbuffered                  bool
		BodyBuffer, Buffer          int
	}{
		max(o.Workers, 1), own, filepath.ToSlash(o.Dir), o.Upstream, listen, o.Unbuffered,
		max(o.BodyBytes, unknownBody), buffer(o.BodyBytes),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.Bytes(), nil
}

// buffer is haproxy's buffer, which holds head and body together: its default
// of 16 KiB where that is enough, so that small bodies are not charged for
// memory that they do not need.
func buffer(bodyBytes int) int {
	if bodyBytes == 0 {
		bodyBytes = unknownBody
	}
	n := bodyBytes + aboveBody
	return max(leastBuffer, (n+pageOfBuffer-1)/pageOfBuffer*pageOfBuffer)
}
