package providertest_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

// The types below have the form of the SDKs: an answer is a union with methods, a request
// is one with fields.
type (
	AnswerUnion struct{ Text string }

	AnswerText struct {
		Type   string      `json:"type" default:"text"`
		Text   string      `json:"text"`
		Notes  []NoteUnion `json:"notes"`
		Shared AnswerBase  `json:"shared"`
		AnswerBase
	}
	AnswerBase struct {
		By string `json:"created_by"`
	}
	AnswerOpenCall struct {
		Type   string `json:"type"`
		Status string `json:"status"`
		JSON   struct{ raw string }
	}
	AnswerNew struct {
		Type string `json:"type" default:"new"`
	}
	NoteUnion struct{ File string }
	NoteNear  struct {
		Type string `json:"type" default:"near"`
		File string `json:"file_id"`
	}
	NoteLater struct {
		Type string `json:"type" default:"later"`
	}

	RequestUnion struct {
		OfText     *RequestText
		OfOpenCall *RequestOpenCall
	}
	RequestText struct {
		Type   string             `json:"type" default:"text"`
		Text   string             `json:"text,omitzero"`
		Notes  []RequestNoteUnion `json:"notes,omitzero"`
		Shared any                `json:"shared,omitzero"`
	}
	RequestOpenCall struct {
		Type string `json:"type"`
	}
	RequestNoteUnion struct{ OfNear *RequestNote }
	RequestNote      struct {
		Type string `json:"type" default:"near"`
	}
)

func (AnswerUnion) AsAny() any                 { return nil }
func (AnswerUnion) AsText() (v AnswerText)     { return }
func (AnswerUnion) AsOpenCall() AnswerOpenCall { return AnswerOpenCall{} }
func (AnswerUnion) AsNew() (v *AnswerNew)      { return }
func (NoteUnion) AsNear() (v NoteNear)         { return }
func (NoteUnion) AsLater() (v NoteLater)       { return }

func TestOutputOnlyFindsWhatRequestsLack(t *testing.T) {
	t.Parallel()
	got := providertest.OutputOnly(reflect.TypeFor[AnswerUnion](), reflect.TypeFor[RequestUnion]())
	want := []string{"new", "open_call.status", "text.created_by", "text.notes[later]", "text.notes[near].file_id"}
	if !slices.Equal(got, want) {
		t.Errorf("the requests lack %q, want %q", got, want)
	}
	if got, want := providertest.Variants(reflect.TypeFor[AnswerUnion]()), []string{"new", "open_call", "text"}; !slices.Equal(got, want) {
		t.Errorf("the answers are %q, want %q", got, want)
	}
	if got, want := providertest.Variants(reflect.TypeFor[RequestUnion]()), []string{"open_call", "text"}; !slices.Equal(got, want) {
		t.Errorf("the requests are %q, want %q", got, want)
	}
}

func TestExampleHasTheMember(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"call.created_by":          `{"type":"call","created_by":"output only"}`,
		"text.notes[near].file_id": `{"type":"text","notes":[{"type":"near","file_id":"output only"}]}`,
		"a.b.c":                    `{"type":"a","b":{"c":"output only"}}`,
	} {
		if got := providertest.Example(path); got != want {
			t.Errorf("the example of %s is %s, want %s", path, got, want)
		}
	}
}
