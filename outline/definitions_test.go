package outline_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/google/go-cmp/cmp"
)

// A definitionCase is a program and the lines of its outline, all of them.
type definitionCase struct{ name, path, text, want string }

func checkDefinitions(t *testing.T, cases []definitionCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
				checkOutline(t, c.path, text, 600)
				got := outline.Text(c.path, text, plenty)
				_, got, _ = strings.Cut(got, "\n")
				if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got+"\n"); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}
