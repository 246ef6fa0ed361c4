package anthropicmsg

import (
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// DropStaleThinking returns the options of a request to a model that accepts its
// thinking only after the same messages as before: claude-fable-5-1, claude-opus-5-5
// and later models. When a summary replaces the beginning of a conversation, such a
// model refuses the thinking in the messages that were kept. With these options it
// ignores that thinking. Thinking that it adds afterwards is used.
//
// The options turn adaptive thinking on, which is the default of these models. Earlier
// models do not need the options, and refuse them.
//
//	client.Messages.New(ctx, params, anthropicmsg.DropStaleThinking()...)
func DropStaleThinking() []option.RequestOption {
	return []option.RequestOption{
		option.WithHeaderAdd("anthropic-beta", string(anthropic.AnthropicBetaThinkingBindingControls2026_08_01)),
		option.WithJSONSet("thinking.type", "adaptive"),
		option.WithJSONSet("thinking.block_binding.prefix_mismatch_behavior", "drop_block"),
	}
}
