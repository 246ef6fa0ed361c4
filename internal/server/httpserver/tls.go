package httpserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const maxPEM = 1 << 20 // of a file

// A certificate is a pair of files that is read again when it changes.
type certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
	seen      [2][]byte // what was read last, good or not
	problem   string    // the last that was reported
}

// newCertificate returns nil if there are no files. Errors: [workspace.ErrInvalid].
func newCertificate(cert, key string) (*certificate, error) {
	if cert == "" {
		return nil, nil
	}
	c := &certificate{cert: cert, key: key}
	if _, err := c.read(); err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "TLS: %v; give a certificate and its key, both in PEM", err)
	}
	return c, nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current.Load(), nil
		},
	}
}

// read takes the pair if it has changed and is good. A broken pair leaves the one before
// in force.
func (c *certificate) read() (changed bool, err error) {
	cert, err := readPEM(c.cert)
	if err != nil {
		return false, err
	}
	key, err := readPEM(c.key)
	if err != nil {
		return false, err
	}
	if bytes.Equal(cert, c.seen[0]) && bytes.Equal(key, c.seen[1]) {
		return false, nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return false, fmt.Errorf("%s and %s: %w", c.cert, c.key, err)
	}
	c.seen = [2][]byte{cert, key}
	c.current.Store(&pair)
	return true, nil
}

func readPEM(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err == nil && len(b) > maxPEM {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxPEM)
	}
	return b, err
}

// watch reads the files again and again until the context ends. A problem is logged once.
func (c *certificate) watch(ctx context.Context, s *Server) {
	ticker := time.NewTicker(s.limits.reading)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		changed, err := c.read()
		switch {
		case err != nil && err.Error() != c.problem:
			c.problem = err.Error()
			s.o.Logger.ErrorContext(ctx, "the new TLS certificate cannot be used; the one before stays in force",
				"error", err)
		case err == nil:
			c.problem = ""
		}
		if changed {
			s.o.Logger.InfoContext(ctx, "the TLS certificate has changed")
		}
	}
}
