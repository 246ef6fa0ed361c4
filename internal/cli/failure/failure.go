package failure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

// A Failure is an error as the command shows it.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do, where the message does not say so
}

// OfUsage returns an error of the command line itself. command is the one whose help is
// useful.
func OfUsage(err error, command string) Failure {
	text := err.Error()
	if flag, is := strings.CutPrefix(text, "unknown flag -"); is && !strings.HasPrefix(flag,
		"-") { // it may be a text, such as "- [ ] test"
		text, _, _ = strings.Cut(text, ", did you mean")
		text += "; put -- before a text that begins with a dash"
	}
	return Failure{Kind: "usage", Message: terminal.OneLine(pgurl.Hide(text)), Hint: command + " --help"}
}

// Of returns an error of a command that ran. ctx ends at a signal.
func Of(ctx context.Context, err error) Failure {
	f := Failure{Kind: kindName(ctx, err)}
	var texts []string
	for _, part := range parts(err) {
		text := Text(part)
		var h hinted
		if errors.As(part, &h) {
			f.Hint = terminal.OneLine(h.hint)
		}
		if !errors.Is(part, clientconfig.ErrByHand) { // that one has lines to be copied
			text = terminal.OneLine(text)
		}
		texts = append(texts, terminal.Visible(pgurl.Hide(text)))
	}
	f.Message = strings.Join(texts, "; ")
	return f
}

// Print writes the failure, for --json as one line of JSON.
func (f Failure) Print(out io.Writer, asJSON bool) {
	switch {
	case asJSON:
		fmt.Fprintln(out, terminal.Visible(inJSON(map[string]Failure{"error": f})))
	case f.Hint != "":
		fmt.Fprintf(out, "scratchpad: %s (%s)\n", f.Message, f.Hint)
	default:
		fmt.Fprintf(out, "scratchpad: %s\n", f.Message)
	}
}

// PrintUsage writes the failure of a command line. usage has the arguments and flags of its command; it
// may be empty.
func (f Failure) PrintUsage(out io.Writer, asJSON bool, usage string) {
	if asJSON {
		f.Print(out, true)
		return
	}
	fmt.Fprintf(out, "scratchpad: %s\n", f.Message)
	if usage != "" {
		fmt.Fprintf(out, "Usage: %s\n", usage)
	}
	fmt.Fprintf(out, "Try: %s\n", f.Hint)
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

// AsksForJSON reports whether a command line that could not be parsed asks for
// JSON.
func AsksForJSON(args []string) bool {
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

// Hint returns an error with a hint, which its text has in brackets.
func Hint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h hinted) Error() string { return h.error.Error() + " (" + h.hint + ")" }

func (h hinted) Unwrap() error { return h.error }

// inJSON returns a record of strings as JSON on one line.
func inJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // records of strings can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
