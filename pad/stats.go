package pad

import (
	"slices"
	"strings"
	"time"
)

// Stats are counts of the entries of a pad or a view.
type Stats struct {
	Size           int            // live entries
	RawSize        int            // all entries, with those that have expired but were not removed yet
	Expired        int            // RawSize minus Size
	Namespaces     []string       // what stands before the first colon of a key, each name once, sorted
	WithTTL        int            // live entries with a TTL
	TagCounts      map[string]int // live entries by tag
	Oldest, Newest time.Time      // the first and the last CreatedAt of a live entry; zero if there is none
}

// Stats returns counts of the entries of the pad or the view. It visits every entry.
func (p *Pad) Stats() Stats {
	st := Stats{Namespaces: []string{}, TagCounts: map[string]int{}}
	v, now := p.shared.view(), p.shared.o.Now()
	names := map[string]bool{}
	for e := range v.content.below(p.prefix) {
		st.RawSize++
		if e.expired(v.at, now) {
			continue
		}
		st.Size++
		if e.ttl > 0 {
			st.WithTTL++
		}
		for _, tag := range e.tags {
			st.TagCounts[tag]++
		}
		if name, _, ok := strings.Cut(e.key[len(p.prefix):], ":"); ok && name != "" && !names[name] {
			names[name] = true
			st.Namespaces = append(st.Namespaces, name)
		}
		if st.Oldest.IsZero() || e.created.Before(st.Oldest) {
			st.Oldest = e.created
		}
		if e.created.After(st.Newest) {
			st.Newest = e.created
		}
	}
	st.Expired = st.RawSize - st.Size
	slices.Sort(st.Namespaces)
	return st
}
