package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLogger returns the logger for the SDK. The SDK logs every connection and every HTTP
// request; only its warnings and errors pass.
func (s *Server) sdkLogger() *slog.Logger { return slog.New(warnings{s.o.Logger.Handler()}) }

type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}
