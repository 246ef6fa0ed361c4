package conversation

// TrimOptions say how much of the end [Trim] keeps. With both forms the shorter
// end counts; with neither everything is kept.
type TrimOptions struct {
	KeepLast    int               // messages at the end; 0: no bound
	KeepTokens  int               // tokens at the end; 0: no bound
	CountTokens func(Message) int // nil: EstimateTokens
}

// Trim returns the end of a conversation, cut where every provider accepts it:
// the leading system messages, and the last messages as the options say, more of
// them where a unit would be cut, never fewer. Leading system messages do not
// count. The newest message of the user is always there: directly before the end
// where that begins behind it; otherwise the end is extended back to a message of
// the user. A call without a result, and all behind it, is kept.
//
// The messages are copies. It takes linear time.
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

// leading returns how many system messages stand before any other.
func leading(msgs []Message) int {
	n := 0
	for n < len(msgs) && msgs[n].Role == System {
		n++
	}
	return n
}
