package conversation

import (
	"encoding/json"
	"fmt"

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

// callForm checks the id, the name and the arguments of a call.
func (c *checker) callForm(i int, call ToolCall) {
	id, name := call.ID, call.Name
	if id == "" {
		c.add(i, RuleCallID, "a call of %q has no id: give it one, so that its result can name it", clip.Text(name))
	} else if most, plain := c.idLimits(); most > 0 && len(id) > most {
		c.add(i, RuleCallID, "the call id %q has %d bytes, limit %d: give the call and its result a shorter id",
			clip.Text(id), len(id), most)
	} else if plain && !isPlain(id) {
		c.add(i, RuleCallID, "the call id %q has characters other than letters, digits, _ and -: change it in the call "+
			"and its result", clip.Text(id))
	}
	if text := c.nameFault(name); text != "" {
		c.add(i, RuleCallName, "the tool name %q %s: rename the tool", clip.Text(name), text)
	}
	if text := c.argumentsFault(call.Arguments); text != "" {
		c.add(i, RuleArguments, "the arguments of call %q %s: replace them by {}, or by what the call meant", clip.Text(id),
			text)
	}
}

// idLimits returns the most bytes of a call id, or 0, and whether it must be plain.
func (c *checker) idLimits() (most int, plain bool) {
	switch c.provider {
	case Anthropic:
		return 0, true
	case OpenAIChat, OpenAIResponses:
		return 64, false
	}
	return 0, false
}

// nameFault returns what is wrong with the name of a tool, or "".
func (c *checker) nameFault(name string) string {
	if name == "" {
		return "is empty"
	}
	switch c.provider {
	case Anthropic:
		return tooLong(name, 200)
	case OpenAIChat, OpenAIResponses:
		if !isPlain(name) {
			return "has characters other than letters, digits, _ and -"
		}
		if c.provider == OpenAIChat {
			return tooLong(name, 64)
		}
		return tooLong(name, 128)
	}
	if first := name[0]; !isLetter(first) && first != '_' {
		return "does not begin with a letter or _"
	}
	for k := 1; k < len(name); k++ {
		if b := name[k]; !isPlainByte(b) && b != '.' && b != ':' {
			return "has characters other than letters, digits, _, ., : and -"
		}
	}
	return tooLong(name, 128)
}

func tooLong(name string, most int) string {
	if len(name) <= most {
		return ""
	}
	return fmt.Sprintf("has %d bytes, limit %d", len(name), most)
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
	case first != '{' && (c.provider == Anthropic || c.provider == Gemini):
		return "are not a JSON object"
	}
	return ""
}

// isPlain reports whether s has only letters, digits, _ and -.
func isPlain(s string) bool {
	for k := 0; k < len(s); k++ {
		if !isPlainByte(s[k]) {
			return false
		}
	}
	return true
}

func isPlainByte(b byte) bool { return isLetter(b) || b >= '0' && b <= '9' || b == '_' || b == '-' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
