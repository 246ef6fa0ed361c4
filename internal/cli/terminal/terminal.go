package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Table writes rows in columns. The first row is the header. The texts must have passed
// [Cell], unless they are known to be harmless.
func Table(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// Colored reports whether output to a stream is coloured. The mode is always, never, or
// auto: on a terminal, unless $NO_COLOR is set.
func Colored(mode string, stream any) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && Is(stream)
}

// Paint returns a text in colour if colored is set, and otherwise the text.
func Paint(colored bool, text string, how ...color.Attribute) string {
	c := color.New(how...)
	c.DisableColor()
	if colored {
		c.EnableColor()
	}
	return c.Sprint(text)
}
