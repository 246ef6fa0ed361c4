package oauth_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/oauth"
)

// Operators see why tokens are refused, and no one can fill their logs.
func TestLog(t *testing.T) {
	key := newSigner(t, "k1", "EdDSA")
	i := newIssuer(t, key)
	var log bytes.Buffer
	s := i.server(t, func(o *oauth.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	token := key.token(t, i.claims(m{"tenant": nil}))
	for n := range 13 {
		fails(t, "no tenant", s, token, auth.ErrUnknown)
		fails(t, "garbage", s, strings.Repeat("a.", 8<<10), auth.ErrUnknown)
		fails(t, "long algorithm", s, encode(t, m{"alg": strings.Repeat("a", 1400)})+".e30.", auth.ErrUnknown)
		if n < 12 {
			i.clock.Advance(10 * time.Second)
		}
	}
	if got := strings.Count(log.String(), "level=WARN"); got != 3 || !strings.Contains(log.String(), "claim tenant is missing") {
		t.Errorf("%d warnings in 2 minutes, want 3, about the claim tenant:\n%.500s", got, log.String())
	}
	for _, part := range strings.Split(token, ".")[1:] {
		if strings.Contains(log.String(), part) {
			t.Error("the log has a part of the token")
		}
	}
	for line := range strings.Lines(log.String()) {
		if len(line) > 500 {
			t.Fatalf("a line of %d bytes: %.600s", len(line), line)
		}
	}
}
