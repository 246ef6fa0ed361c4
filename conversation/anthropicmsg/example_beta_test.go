package anthropicmsg_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

// The SDK's tool runner has types of its own, for beta features. Their JSON is that of the
// other types, so messages go over it without loss.
func Example_beta() {
	// An answer of the runner becomes a message.
	var answer anthropic.BetaMessage
	err := json.Unmarshal([]byte(`{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"It is done."}]}`), &answer)
	if err != nil {
		log.Fatal(err)
	}
	var plain anthropic.Message
	if err := json.Unmarshal([]byte(answer.RawJSON()), &plain); err != nil {
		log.Fatal(err)
	}
	message, err := anthropicmsg.FromResponse(&plain)
	if err != nil {
		log.Fatal(err)
	}

	// So do the params of a request.
	question := anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Is it done?"))
	raw, err := json.Marshal(question)
	if err != nil {
		log.Fatal(err)
	}
	msgs, err := anthropicmsg.From(param.Override[anthropic.MessageParam](json.RawMessage(raw)))
	if err != nil {
		log.Fatal(err)
	}
	msgs = append(msgs, message)

	// And messages become params for the next runner.
	_, params, err := anthropicmsg.To(msgs)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range params {
		raw, err := json.Marshal(p)
		if err != nil {
			log.Fatal(err)
		}
		beta := param.Override[anthropic.BetaMessageParam](json.RawMessage(raw))
		text, err := json.Marshal(beta)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
	// Output:
	// {"content":[{"text":"Is it done?","type":"text"}],"role":"user"}
	// {"content":[{"type":"text","text":"It is done."}],"role":"assistant"}
}
