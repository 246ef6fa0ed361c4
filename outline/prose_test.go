package outline_test

import (
	"strings"
	"testing"
)

// A numeral's full stop ends no sentence, and the line that it begins may be a title.
func TestOutlineNumberedTitles(t *testing.T) {
	long := strings.Repeat("This is a sentence of the text that goes on\nover some lines. ", 8) + "\n\n"
	var text string
	titles := []string{"0. Definitions.", "1. Protecting Users' Legal Rights From Anti-Circumvention Law.", "10. Automatic Licensing of Downstream Recipients."}
	for _, title := range titles {
		text += "  " + title + "\n\n" + long
	}
	want := append([]string{"Text", "1 0. Definitions.\n"}, titles...)
	checkOutlineCases(t, []outlineCase{
		{"COPYING", text, want, []string{"Markdown"}},
		{"a.txt", text, want, nil},
		{"a.txt", "0. You may go on with the text\nthat is here. More.\n\nOther.\n", []string{"0. You may go on with the text that is here.\n"}, nil},
		{"a.txt", "It was 1999. Then came 2000.\nMore of it.\n\nOther.\n", []string{"It was 1999.\n"}, nil},
		{"plan", "1. Do this.\n2. Do that.\n3. Go on.\n", []string{"Markdown", "2. Do that."}, nil},
	})
}
