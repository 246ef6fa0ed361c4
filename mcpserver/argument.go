package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// arguments are the arguments of one call.
type arguments struct {
	strictjson.Values
	command *memorycommand.Command               // of the tool memory
	author  workspace.Author                     // who makes the call
	key     string                               // the idempotency key of the call; "": none
	under   string                               // "~/" for the memory beside the caller's own, see takeHome
	beside  func() (*workspace.Workspace, error) // returns that memory for a search of both; nil: there is none
	compare func(bytes int64) error              // is asked before two texts are compared; nil: nobody is
}

// decode reads the arguments of a message that inspect has accepted.
func decode(raw json.RawMessage, form strictjson.Form) (*arguments, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	values, err := form.Read(raw)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return &arguments{Values: values}, nil
}

// number returns the argument, or nil if it was not given.
func (a *arguments) number(name string) *int64 {
	if given := a.Given(name); given != nil {
		return &given.Number
	}
	return nil
}

func toInt(n int64) int {
	return int(max(math.MinInt, min(n, math.MaxInt)))
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), workspace.ErrInvalid)
}
