package memorytool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Name is the name by which models know the tool.
const Name = memorycommand.Name

// Options of a [Tool]. The zero value is the tool as it is documented.
type Options struct {
	// Overwrite lets create replace a file. The versions before stay in the file's
	// history. false: the model reads an error if the file exists.
	Overwrite bool

	// Logger gets panics, and errors that would say nothing to a model, such as those of
	// a database driver. The model reads "internal error". nil: slog.Default.
	Logger *slog.Logger
}

// A Tool is the memory tool on one workspace. It is safe for concurrent use, and runs one
// command at a time. Two Tools on one workspace do not wait for each other, and keep all
// edits too.
type Tool struct {
	ws      *workspace.Workspace
	options memorycommand.Options
	running chan struct{} // holds a value while a command runs
}

var _ anthropic.BetaTool = (*Tool)(nil)

// New returns the memory tool on a workspace. It panics if ws is nil.
func New(ws *workspace.Workspace, o Options) *Tool {
	if ws == nil {
		panic("memorytool: New with a nil workspace")
	}
	return &Tool{
		ws:      ws,
		options: memorycommand.Options{Overwrite: o.Overwrite, Logger: o.Logger},
		running: make(chan struct{}, 1),
	}
}

// Run runs a command and returns its answer for the model. input is a JSON object such as
// {"command":"view","path":"/memories"}. It is decoded strictly: an unknown member, a
// member of another command, and a value of the wrong type are errors.
//
// If something goes wrong, isError is true and the text says what. A panic of the store
// ends with such a text too. Run waits for the command that the Tool is running. If ctx
// ends before that, nothing is done.
func (t *Tool) Run(ctx context.Context, input json.RawMessage) (text string, isError bool) {
	select {
	case t.running <- struct{}{}:
		defer func() { <-t.running }()
	case <-ctx.Done():
		return "the command was cancelled before it did anything", true
	}
	return memorycommand.Run(ctx, t.ws, input, t.options)
}

// Result runs the command of a tool_use block and returns the tool_result block that
// answers it. If the call is of another tool, the block is an error that says so.
func (t *Tool) Result(ctx context.Context, call anthropic.ToolUseBlock) anthropic.ContentBlockParamUnion {
	if call.Name != Name {
		return anthropic.NewToolResultBlock(call.ID, fmt.Sprintf("there is no tool %q; the tool is %s", call.Name,
			Name), true)
	}
	text, isError := t.Run(ctx, call.Input)
	return anthropic.NewToolResultBlock(call.ID, text, isError)
}

// Execute runs a command for the tool runner of the SDK. The result is one block of text.
// An error has the text of [Tool.Run] without "Error: ", which the runner adds.
func (t *Tool) Execute(
	ctx context.Context, input json.RawMessage,
) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	text, isError := t.Run(ctx, input)
	if isError {
		return nil, errors.New(strings.TrimPrefix(text, "Error: "))
	}
	return []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: text}}}, nil
}
