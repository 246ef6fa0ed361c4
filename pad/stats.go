package pad

import (
	"slices"
	"strings"
	"time"
)

// Stats counts what a pad or a view holds.
type Stats struct {
	Size           int            // live entries
	RawSize        int            // those that have expired and were not removed yet included
	Expired        int            // RawSize less Size
	Namespaces     []string       // the first segments of keys that have a colon, sorted
	WithTTL        int            // live entries that expire some time
	TagCounts      map[string]int // live entries by tag
	Oldest, Newest time.Time      // CreatedAt of the first and the last live entry; zero if there is none
}

// Stats returns counts of the pad or the view. It looks at every entry.
func (p *Pad) Stats() Stats {
	st := Stats{Namespaces: []string{}, TagCounts: map[string]int{}}
	if p.invalid {
		return st
	}
	v, now := p.store.view(), p.store.o.Now()
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
