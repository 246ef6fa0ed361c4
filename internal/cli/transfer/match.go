package transfer

import (
	"crypto/sha256"
	"sort"

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
	if e.Redacted != nil {
		e.SHA256 = sha256.Sum256(nil) // as its line in an export
	}
	return mark{said{e.SHA256, e.Author}, e.Time.UnixMicro()}
}

// missing says of each entry of an export whether the log lacks it.
//
// An entry is in the log if one there has the same text, author and time. The time in the
// log may be later: an import raises the time of an entry to that of the entry before it
// in the log. Each entry of the log stands for one of the export.
func missing(log, export []mark) []bool {
	have := map[mark]int{}
	raised := map[said][]int64{} // times that may have been raised, the earliest first
	for i, m := range log {
		have[m]++
		if i == 0 || log[i-1].at == m.at {
			raised[m.said] = append(raised[m.said], m.at)
		}
	}
	var rest []int // of the export, that have no equal
	for i, m := range export {
		if have[m] > 0 {
			have[m]--
		} else {
			rest = append(rest, i)
		}
	}
	sort.SliceStable(rest, func(i, j int) bool { return export[rest[i]].at > export[rest[j]].at })
	lacks := make([]bool, len(export))
	for _, i := range rest { // the latest first takes the latest
		m := export[i]
		times := raised[m.said]
		for len(times) > 0 && have[mark{m.said, times[len(times)-1]}] == 0 { // an equal one has taken it
			times = times[:len(times)-1]
		}
		if n := len(times); n > 0 && times[n-1] > m.at {
			have[mark{m.said, times[n-1]}]--
			times = times[:n-1]
		} else {
			lacks[i] = true
		}
		raised[m.said] = times
	}
	return lacks
}
