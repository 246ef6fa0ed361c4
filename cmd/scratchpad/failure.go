package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/terminal"
)

// failure is an error as the command shows it.
type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do, where the message does not say so
}

// usageFailure is an error of the command line itself.
func usageFailure(err error) failure {
	text := err.Error()
	if flag, is := strings.CutPrefix(text, "unknown flag -"); is && !strings.HasPrefix(flag, "-") { // it may be a text, such as "- [ ] test"
		text, _, _ = strings.Cut(text, ", did you mean")
		text += "; put -- before a text that begins with a dash"
	}
	return failure{Kind: "usage", Message: terminal.OneLine(text), Hint: helpOf(err) + " --help"}
}

// failureOf is an error of a command that ran.
func failureOf(ctx context.Context, err error) failure {
	f := failure{Kind: kindName(ctx, err)}
	var texts []string
	for _, part := range parts(err) {
		text := textOf(part)
		var h hinted
		if errors.As(part, &h) {
			f.Hint = terminal.OneLine(h.hint)
		}
		if !errors.Is(part, errByHand) { // that one has lines to be copied
			text = terminal.OneLine(text)
		}
		texts = append(texts, terminal.Visible(text))
	}
	f.Message = strings.Join(texts, "; ")
	return f
}

// print writes the failure, for --json as one line of JSON.
func (f failure) print(out io.Writer, asJSON bool) {
	switch {
	case asJSON:
		fmt.Fprintln(out, terminal.Visible(quoteJSON(map[string]failure{"error": f})))
	case f.Kind == "usage":
		fmt.Fprintf(out, "scratchpad: %s\nTry: %s\n", f.Message, f.Hint)
	case f.Hint != "":
		fmt.Fprintf(out, "scratchpad: %s (%s)\n", f.Message, f.Hint)
	default:
		fmt.Fprintf(out, "scratchpad: %s\n", f.Message)
	}
}

// parts are the errors that [errors.Join] made one of.
func parts(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	for _, part := range joined.Unwrap() {
		all = append(all, parts(part)...)
	}
	return all
}

// asksForJSON reports whether a command line that could not be parsed asks for
// JSON.
func asksForJSON(args []string) bool {
	yes := func(text string) bool { return slices.Contains([]string{"true", "1", "yes"}, strings.ToLower(text)) }
	asked := yes(os.Getenv("SCRATCHPAD_JSON"))
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if name, value, given := strings.Cut(arg, "="); name == "--json" {
			asked = !given || yes(value)
		}
	}
	return asked
}

// hinted is an error with a hint, which its text has in brackets.
type hinted struct {
	error
	hint string
}

func (h hinted) Error() string { return h.error.Error() + " (" + h.hint + ")" }

func (h hinted) Unwrap() error { return h.error }

// note tells a person something beside the answer.
func (p *process) note(format string, args ...any) error {
	_, err := io.WriteString(p.err, terminal.Visible(fmt.Sprintf(format, args...)))
	return err
}
