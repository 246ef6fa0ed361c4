package httpserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A certificate is a pair of files that is read again when it changes.
type certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
	problem   string // the last that was reported
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

// read takes the pair if it is good. A broken pair leaves the one before in force.
func (c *certificate) read() (changed bool, err error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return false, fmt.Errorf("%s and %s: %w", c.cert, c.key, err)
	}
	old := c.current.Swap(&pair)
	return old == nil || !slices.EqualFunc(old.Certificate, pair.Certificate, bytes.Equal), nil
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
