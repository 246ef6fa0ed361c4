package conversation

import (
	"encoding/json"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A Problem is a reason for which a provider would refuse the messages.
type Problem struct {
	Index int    // of the message; -1: of none
	Rule  string // the rule that is broken, such as [RuleMissingResult]
	Text  string // what is wrong, and how to correct it
}

// Check returns what p would refuse in the messages if the adapter for p sent
// them. The problems come by ascending Index. Check returns nil if there are none,
// and for an empty list. An unknown p gives one problem, with the Index -1.
//
// Check reads the Raw of a message if RawProvider is p, and the other fields
// otherwise. Reasoning of another provider is not sent, so it is not a problem.
//
// The adapter corrects some problems by leaving out, renaming or moving something.
// Check reports them too: the model would not read what was said, and other programs
// do not correct them.
//
// A call without a result is a problem even at the end of the list. A list may end
// with a message of the assistant, which may be empty, because something will
// follow.
//
// Check does not know the request and the model. It does not check whether thinking
// is on, whether answers are stored, which tools are declared, or what the model
// accepts: images, the size of the context, or an answer that is begun for it. It
// cannot see that reasoning was dropped before its answer.
func Check(msgs []Message, p Provider) []Problem {
	if len(msgs) == 0 {
		return nil
	}
	c := newChecker(p, len(msgs))
	if c == nil {
		text := fmt.Sprintf("the provider is %q: use anthropic, openai-chat, openai-responses or gemini",
			clip.Text(string(p)))
		return []Problem{{Index: -1, Rule: RuleUnknownProvider, Text: text}}
	}
	for i, m := range msgs {
		c.message(i, m)
	}
	return c.end()
}

// checkable reports whether a message that is not valid has enough to be checked
// together with the others.
func (m *Message) checkable() bool {
	switch m.Role {
	case System, User, Assistant:
	case Tool:
		if m.ToolCallID == "" {
			return false
		}
	default:
		return false
	}
	return m.Raw == nil || json.Valid(m.Raw)
}
