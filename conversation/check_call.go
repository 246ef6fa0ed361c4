package conversation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// unique reports an id that an earlier call of the conversation has.
func (c *checker) unique(i int, id string) {
	if c.seen == nil {
		c.seen = make(map[string]struct{}, c.count/4)
	}
	before := len(c.seen)
	c.seen[id] = struct{}{}
	if len(c.seen) == before {
		c.duplicate(i, id)
	}
}

func (c *checker) duplicate(i int, id string) {
	c.add(i, RuleDuplicateID, "the id %q is used already: give each call its own id, and drop what was stored twice",
		clip.Text(id))
}

// checkCall checks the id, the name and the arguments of a call.
func (c *checker) checkCall(i int, call ToolCall) {
	id, name, form := call.ID, call.Name, callForms[c.provider]
	if id == "" {
		c.add(i, RuleCallID, "a call of %q has no id: give it one, so that its result can name it", clip.Text(name))
	} else if form.idBytes > 0 && len(id) > form.idBytes {
		c.add(i, RuleCallID, "the call id %q has %d bytes, limit %d: give the call and its result a shorter id",
			clip.Text(id), len(id), form.idBytes)
	} else if form.plainID && !isPlain(id) {
		c.add(i, RuleCallID, "the call id %q has characters other than letters, digits, _ and -: change it in the "+
			"call and its result", clip.Text(id))
	}
	if text := c.nameFault(name); text != "" {
		c.add(i, RuleCallName, "the tool name %q %s: rename the tool", clip.Text(name), text)
	}
	if text := c.argumentsFault(call.Arguments); text != "" {
		c.add(i, RuleArguments, "the arguments of call %q %s: replace them by {}, or by what the call meant",
			clip.Text(id),
			text)
	}
}

// A callForm says what a provider accepts in a call.
type callForm struct {
	idBytes, nameBytes int // 0: no limit
	plainID, plainName bool
	object             bool // the arguments are an object
}

var callForms = map[Provider]callForm{
	Anthropic:       {nameBytes: 200, plainID: true, object: true},
	OpenAIChat:      {idBytes: 64, nameBytes: 64, plainName: true},
	OpenAIResponses: {idBytes: 64, nameBytes: 128, plainName: true},
	Gemini:          {nameBytes: 128, object: true},
}

// nameFault returns what is wrong with the name of a tool, or "".
func (c *checker) nameFault(name string) string {
	form := callForms[c.provider]
	switch {
	case name == "":
		return "is empty"
	case form.plainName && !isPlain(name):
		return "has characters other than letters, digits, _ and -"
	case c.provider == Gemini && !isLetter(rune(name[0])) && name[0] != '_':
		return "does not begin with a letter or _"
	case c.provider == Gemini && !isPlain(strings.NewReplacer(".", "", ":", "").Replace(name)):
		return "has characters other than letters, digits, _, ., : and -"
	case len(name) > form.nameBytes:
		return fmt.Sprintf("has %d bytes, limit %d", len(name), form.nameBytes)
	}
	return ""
}

// argumentsFault returns what is wrong with the arguments of a call, or "". Empty
// arguments stand for {}.
func (c *checker) argumentsFault(arguments []byte) string {
	first := firstByte(arguments)
	switch {
	case first == 0:
		return ""
	case !json.Valid(arguments):
		return "are not JSON"
	case first != '{' && callForms[c.provider].object:
		return "are not a JSON object"
	}
	return ""
}

// isPlain reports whether s has only letters, digits, _ and -.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !isLetter(r) && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
