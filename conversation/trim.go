package conversation

// TrimOptions say how much of the end [Trim] keeps. If both limits are set, the
// shorter end counts. If none is set, everything is kept.
type TrimOptions struct {
	KeepLast    int               // messages; 0: no limit
	KeepTokens  int               // tokens; 0: no limit
	CountTokens func(Message) int // nil: EstimateTokens
}

// Trim returns the end of a conversation, cut where every provider accepts it. It
// keeps the leading system messages, which do not count, and the last messages as the
// options say. It keeps more of them if a unit would be cut, and never fewer.
//
// The newest message of the user is always kept. If the end begins after it, it
// stands directly before the end. Otherwise the end is extended back to a message of
// the user. A call without a result is kept, and so is everything after it. So is the
// newest compaction of the provider, which alone carries what came before it.
//
// The messages are copies. Trim takes linear time.
func Trim(msgs []Message, o TrimOptions) []Message {
	lead := leading(msgs)
	k := keep{max(0, o.KeepLast), max(0, o.KeepTokens)}
	if k == (keep{}) {
		return cloneAll(msgs)
	}
	if o.CountTokens == nil {
		o.CountTokens = EstimateTokens
	}
	w := window{entries: make([]entry, 0, len(msgs)-lead)}
	for _, m := range msgs[lead:] {
		n := 0
		if k.tokens > 0 {
			n = max(0, o.CountTokens(m))
		}
		w.push(added{msg: m, tokens: n})
	}
	start, pinned := w.start(len(w.entries), k)
	trimmed := cloneAll(msgs[:lead])
	if pinned >= 0 {
		trimmed = append(trimmed, msgs[lead+pinned].clone())
	}
	return append(trimmed, cloneAll(msgs[lead+start:])...)
}

// leading returns how many system messages the list begins with.
func leading(msgs []Message) int {
	n := 0
	for n < len(msgs) && msgs[n].Role == System {
		n++
	}
	return n
}
