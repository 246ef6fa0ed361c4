package transfer

import (
	"crypto/sha256"
	"slices"
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
	type group struct{ own, raised int } // raised: the time may have been raised
	have := map[mark]group{}
	for i, m := range log {
		g := have[m]
		if i == 0 || log[i-1].at == m.at {
			g.raised++
		} else {
			g.own++
		}
		have[m] = g
	}
	lacks := make([]bool, len(export))
	var rest []int // of the export, that have no equal
	for i, m := range export {
		g := have[m]
		switch {
		case g.own > 0:
			g.own--
		case g.raised > 0:
			g.raised--
		default:
			rest = append(rest, i)
			continue
		}
		have[m] = g
	}
	raised := map[said][]int64{} // times, the earliest first
	for m, g := range have {
		for range g.raised {
			raised[m.said] = append(raised[m.said], m.at)
		}
	}
	for _, times := range raised {
		slices.Sort(times)
	}
	sort.SliceStable(rest, func(i, j int) bool { return export[rest[i]].at > export[rest[j]].at })
	for _, i := range rest { // the latest first takes the latest
		m := export[i]
		times := raised[m.said]
		if n := len(times); n > 0 && times[n-1] > m.at {
			raised[m.said] = times[:n-1]
		} else {
			lacks[i] = true
		}
	}
	return lacks
}
