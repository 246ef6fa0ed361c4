package anthropicmsg

import (
	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// DropStaleThinking returns the options of a request to a model that reads its
// thinking only behind what it was made behind: claude-fable-5-1, claude-opus-5-5
// and later ones. Once a summary stands for the beginning of a conversation, such
// a model refuses the thinking in what was kept; with these options it passes
// over it. The thinking that it adds from then on counts.
//
// They turn adaptive thinking on, which those models have on anyway. Earlier
// models need none of it and refuse it.
//
//	client.Messages.New(ctx, params, anthropicmsg.DropStaleThinking()...)
func DropStaleThinking() []option.RequestOption {
	return []option.RequestOption{
		option.WithHeaderAdd("anthropic-beta", string(anthropic.AnthropicBetaThinkingBindingControls2026_08_01)),
		option.WithJSONSet("thinking.type", "adaptive"),
		option.WithJSONSet("thinking.block_binding.prefix_mismatch_behavior", "drop_block"),
	}
}
