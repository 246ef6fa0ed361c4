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

// WithAttrs implements [slog.Handler].
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
