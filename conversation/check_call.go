package conversation

import (
	"encoding/json"
	"fmt"
)

// unique reports a call id that was there before, in the whole list.
func (c *checker) unique(i int, id string) {
	if c.seen == nil {
		c.seen = make(map[string]struct{}, len(c.msgs)/4)
	}
	before := len(c.seen)
	c.seen[id] = struct{}{}
	if len(c.seen) == before {
		c.duplicate(i, id)
	}
}

func (c *checker) duplicate(i int, id string) {
	c.add(i, ruleDuplicate, "the id %q is there already: give each call its own, and drop what was stored twice", clip(id))
}

// callForm looks at what a call is made of.
func (c *checker) callForm(i int, id, name string, arguments []byte) {
	if id == "" {
		c.add(i, ruleCallID, "a call of %q has no id: give it one, so that its result can name it", clip(name))
	} else if most, plain := c.idLimits(); most > 0 && len(id) > most {
		c.add(i, ruleCallID, "the call id %q has %d bytes, limit %d: give the call and its result a shorter one", clip(id), len(id), most)
	} else if plain && !isPlain(id) {
		c.add(i, ruleCallID, "the call id %q has other characters than letters, digits, _ and -: rename it in the call and its result", clip(id))
	}
	if text := c.nameFault(name); text != "" {
		c.add(i, ruleCallName, "the tool's name %q %s: rename the tool", clip(name), text)
	}
	if text := c.argumentsFault(arguments); text != "" {
		c.add(i, ruleArguments, "the arguments of call %q %s: replace them by {}, or by what the call meant", clip(id), text)
	}
}

func (c *checker) idLimits() (most int, plain bool) {
	switch c.provider {
	case Anthropic:
		return 0, true
	case OpenAIChat, OpenAIResponses:
		return 64, false
	}
	return 0, false
}

func (c *checker) nameFault(name string) string {
	if name == "" {
		return "is empty"
	}
	switch c.provider {
	case Anthropic:
		return tooLong(name, 200)
	case OpenAIChat, OpenAIResponses:
		if !isPlain(name) {
			return "has other characters than letters, digits, _ and -"
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
			return "has other characters than letters, digits, _, ., : and -"
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

// argumentsFault takes no arguments at all for {}.
func (c *checker) argumentsFault(arguments []byte) string {
	first := firstByte(arguments)
	switch {
	case first == 0:
		return ""
	case !json.Valid(arguments):
		return "are not JSON"
	case first != '{' && (c.provider == Anthropic || c.provider == Gemini):
		return "are no JSON object"
	}
	return ""
}

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
