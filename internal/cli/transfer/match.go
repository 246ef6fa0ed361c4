package transfer

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// said is what was said, and by whom.
type said struct {
	text [32]byte // SHA-256
	by   workspace.Author
}

// mark is what tells an entry from others: what was said, by whom and when.
type mark struct {
	said
	at int64 // microseconds since 1970
}

func markOf(e workspace.Entry) mark {
	return mark{said{e.SHA256, e.Author}, e.Time.UnixMicro()}
}

// missing says of each entry of an export whether the log lacks it.
//
// An entry is in the log if one there has the same text, author and time. The time in the
// log may be later: an import raises the time of an entry to that of the entry before it
// in the log. Each entry of the log stands for one of the export. Times do not go back in a
// log, nor in an export.
func missing(log, export []mark) []bool {
	have, raised := map[mark]int{}, map[mark]int{} // raised: the time may have been raised
	for i, m := range log {
		if have[m]++; i == 0 || log[i-1].at == m.at {
			raised[m]++
		}
	}
	lacks := make([]bool, len(export))
	var rest []int // of the export, that have no equal
	for i, m := range export {
		if have[m] > 0 {
			have[m]--
		} else {
			rest = append(rest, i)
		}
	}
	left := map[said][]int64{} // times in the log that have no equal and may have been raised
	for _, m := range log {
		if have[m] > 0 && raised[m] > 0 {
			have[m], raised[m] = have[m]-1, raised[m]-1
			left[m.said] = append(left[m.said], m.at)
		}
	}
	for _, i := range slices.Backward(rest) { // the latest first takes the latest
		m := export[i]
		if n := len(left[m.said]); n > 0 && left[m.said][n-1] > m.at {
			left[m.said] = left[m.said][:n-1]
		} else {
			lacks[i] = true
		}
	}
	return lacks
}
