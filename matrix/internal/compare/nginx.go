package compare

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
)

//go:embed nginx.conf
var nginxText string

var nginxConf = template.Must(template.New("nginx.conf").Parse(nginxText))

// ErrNoNginx says what to install.
var ErrNoNginx = errors.New("nginx was not found: install it (Debian, Ubuntu: package nginx-light)")

// findNginx is the program: on PATH, or where Debian keeps it.
func findNginx() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", ErrNoNginx
}

// nginxVersion is what nginx says of itself: "nginx/1.22.1".
func nginxVersion(ctx context.Context, file string) string {
	out, err := exec.CommandContext(ctx, file, "-v").CombinedOutput()
	if err != nil {
		return "nginx"
	}
	_, v, _ := strings.Cut(strings.TrimSpace(string(out)), ": ")
	return v
}

// nginx is a running one.
type nginx struct {
	*child.Process
	listen string
}

func (n *nginx) Addr() string { return n.listen }
func (n *nginx) Close() error { return n.Stop() }

// upTimeout bounds the wait for the first accepted connection.
const upTimeout = 10 * time.Second

// startNginx writes the config into dir and waits until nginx accepts.
func startNginx(ctx context.Context, file, upstream, dir string, workers int, buffering bool) (stack.Proxy, error) {
	listen, err := stack.FreeAddr()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "nginx.conf")
	var b bytes.Buffer
	if err := nginxConf.Execute(&b, nginxData(workers, dir, upstream, listen, buffering)); err != nil {
		return nil, fmt.Errorf("nginx config: %w", err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("nginx config: %w", err)
	}
	p, err := child.Start(child.Options{Name: "nginx", File: file, Args: []string{"-p", dir, "-e", "stderr", "-c", path}})
	if err != nil {
		return nil, err
	}
	n := &nginx{Process: p, listen: listen}
	ctx, cancel := context.WithTimeoutCause(ctx, upTimeout, fmt.Errorf("within %v", upTimeout))
	defer cancel()
	for {
		var d net.Dialer
		if c, err := d.DialContext(ctx, "tcp", listen); err == nil {
			return n, c.Close()
		}
		select {
		case <-p.Exited():
			return nil, p.Fault("ended at start: %v", p.Err())
		case <-ctx.Done():
			p.Kill()
			return nil, p.Fault("not accepting %w", context.Cause(ctx))
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// nginxData fills the template. A master that is root would give its workers
// to nobody, who cannot read the folder: they stay as they are.
func nginxData(workers int, dir, upstream, listen string, buffering bool) any {
	name := ""
	if os.Geteuid() == 0 {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	return struct {
		Workers                     int
		User, Dir, Upstream, Listen string
		Buffering                   bool
	}{workers, name, dir, upstream, listen, buffering}
}
