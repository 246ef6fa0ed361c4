package pad

import (
	"iter"
	"time"
)

// Snapshot is what a pad or a view held at one moment, live entries alone. It does
// not change, but by UnmarshalJSON, and costs nothing to take but for its share in
// writing down the accesses since the last ones; only the time of an access that is
// under way at that moment may come into it a little later. Its JSON is that of
// the npm package agent-scratchpad:
//
//	{"entries":{key:{key,value,createdAt,updatedAt,accessedAt,ttl,slidingTtl,tags}},"timestamp":ms,"version":1}
//
// with times in milliseconds since 1970, ttl null or milliseconds, and the
// entries in order. The zero value is an empty snapshot. A Snapshot is safe for
// concurrent use.
type Snapshot struct {
	time   time.Time
	view   view // the content is nil in an empty one
	prefix string
	json   []byte // what MarshalJSON returns, where it is known already

	valueless []string // keys of the entries that JSON had without a value
}

// Len returns the number of entries.
func (s *Snapshot) Len() int {
	if s.view.content == nil {
		return 0
	}
	if s.prefix == "" {
		return s.view.content.order.Len() - s.view.expiredBy(s.time)
	}
	n := 0
	for range s.live() {
		n++
	}
	return n
}

// Time returns when the snapshot was taken.
func (s *Snapshot) Time() time.Time { return s.time }

// All returns the entries in order of creation, their values as [Pad.Get] gives
// them.
func (s *Snapshot) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range s.live() {
			if !yield(e.public(s.view.at, e.key[len(s.prefix):])) {
				return
			}
		}
	}
}

func (s *Snapshot) live() iter.Seq[*entry] {
	if s.view.content == nil {
		return func(func(*entry) bool) {}
	}
	return s.view.live(s.prefix, s.time)
}

func orEmpty(s *Snapshot) *Snapshot {
	if s == nil {
		return &Snapshot{}
	}
	return s
}

// entry returns the live entry of a key, nil if there is none.
func (s *Snapshot) entry(key string) *entry { return s.view.entry(s.prefix+key, s.time) }
