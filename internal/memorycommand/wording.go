package memorycommand

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const internalError = "internal error"

// A failure is an error whose text a model reads.
type failure struct {
	text  string
	cause error // the kind, or an error that has one
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// refuse returns an error of a kind.
func refuse(kind error, format string, args ...any) error {
	return &failure{fmt.Sprintf(format, args...), kind}
}

// word gives an error of the workspace a text in the terms of the tool.
func word(err error) error {
	var e *workspace.Error
	if _, done := err.(*failure); done || !errors.As(err, &e) || workspace.Kind(err) == nil {
		return err
	}
	return &failure{rooted(e).Text(store.Words{Arg: memberOf, Way: wayOut}), err}
}

// rooted returns the error with the path as commands give it.
func rooted(e *workspace.Error) *workspace.Error {
	c := *e
	if inner, ok := e.Err.(*workspace.Error); ok {
		c.Err = rooted(inner)
	}
	if c.Object != "" && c.Arg != store.ArgAgent && (c.Arg != 0 || c.Op != "") {
		c.Object = root + "/" + c.Object
	}
	return &c
}

// memberOf has the names by which a model knows arguments.
var memberOf = map[store.Arg]string{
	store.ArgPath:    "path",
	store.ArgPrefix:  "path",
	store.ArgNewPath: "new_path",
}

// wayOut says what helps. It returns "" where the words of the workspace do.
func wayOut(e *workspace.Error) string {
	switch e.Way.Do {
	case store.DoRead, store.DoReadFile, store.DoReadSince:
		return "view it first"
	case store.DoList:
		return "view " + root + " to see what exists"
	case store.DoUnicodePaths:
		return "use those only"
	case store.DoDelete:
		return "delete files that are not needed"
	case store.DoFreeStore:
		return "the operator can make room"
	}
	return ""
}

// explain returns the text of an error for a model, and whether it has one.
func explain(err error) (string, bool) {
	switch {
	case workspace.Kind(err) != nil:
		return err.Error(), true
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "the command was cancelled before it did anything", true
	}
	return "", false
}

// quote quotes the beginning of what a caller sent.
func quote(s string) string {
	const most = 60
	if len(s) <= most {
		return strconv.Quote(s)
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "..."
}
