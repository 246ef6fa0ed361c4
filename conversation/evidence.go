package conversation

import (
	"iter"
	"slices"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/evidence"
)

// EvidenceOptions say how much exact text is carried beside a summary: file paths,
// commands, URLs, identifiers, hashes, numbers with units, and decisions, exactly
// as they stood in the messages.
type EvidenceOptions struct {
	// MaxTokens is the most that all of the evidence may cost, with its heading, by
	// tokens.Estimate. Zero means 400. A negative value turns evidence off.
	MaxTokens int
}

// gatherEvidence returns the evidence that goes with the summary of msgs. before
// is the evidence of the previous summary.
func gatherEvidence(msgs []Message, before []string, o EvidenceOptions) []string {
	return evidence.Gather(evidenceIn(msgs), before, o.MaxTokens)
}

// evidenceIn yields what evidence is looked for in, the newest message first.
func evidenceIn(msgs []Message) iter.Seq[evidence.Message] {
	return func(yield func(evidence.Message) bool) {
		for _, m := range slices.Backward(msgs) {
			if !yield(m.evidence()) {
				return
			}
		}
	}
}

func (m *Message) evidence() evidence.Message {
	e := evidence.Message{Text: m.Text(), Failed: m.IsError}
	switch m.Role {
	case User:
		e.From = evidence.User
	case Tool:
		e.From = evidence.Result
		return e
	}
	for _, p := range m.Parts {
		if p.Type == ImagePart {
			e.Images = append(e.Images, p.URL)
		}
	}
	for _, c := range m.ToolCalls {
		e.Arguments = append(e.Arguments, c.Arguments)
	}
	return e
}
