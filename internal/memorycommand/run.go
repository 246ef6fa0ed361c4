package memorycommand

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [Run]. The zero value is what the tool's documentation describes.
type Options struct {
	// Overwrite lets create replace a file. The file's versions before stay in its history.
	// false: to create a file that exists is an error.
	Overwrite bool

	// Logger gets the errors that say nothing to a model, such as those of a database
	// driver, and panics. nil: slog.Default.
	Logger *slog.Logger
}

const root = "/memories" // the folder that commands see

// Run runs a command and returns its answer for a model. It returns no errors: what goes
// wrong is in the text, with isError set. An error that would say nothing to a model is
// logged, and its text is "internal error".
//
// An answer has at most 16,000 characters, and an error not many more. Run keeps nothing of
// the input. It is safe for concurrent use.
func Run(ctx context.Context, ws *workspace.Workspace, input json.RawMessage, o Options) (text string, isError bool) {
	log := cmp.Or(o.Logger, slog.Default())
	defer func() {
		if v := recover(); v != nil {
			log.Error("panic", "in", Name, "type", fmt.Sprintf("%T", v), "stack", backtrace.Text())
			text, isError = internalError, true
		}
	}()
	c, err := o.parse(input)
	if err == nil {
		if text, err = c.Do(ctx, ws); err == nil {
			return text, false
		}
	}
	if text, known := explain(err); known {
		return text, true
	}
	log.Error("command failed", "in", Name, "err", err)
	return internalError, true
}

// Do runs a command, for callers that want to know the kind of an error. The text of an
// error is what the model should read, if [workspace.Kind] finds a kind. The error of a
// command for which the documentation has a text wraps [workspace.ErrNotFound],
// [workspace.ErrConflict], [workspace.ErrInvalid] or [workspace.ErrTooLarge].
func (c *Command) Do(ctx context.Context, ws *workspace.Workspace) (string, error) {
	text, err := c.run(c, ctx, ws)
	if err != nil {
		return "", word(err)
	}
	return text, nil
}
