package pad

import (
	"iter"
	"time"
)

// Snapshot holds the live entries of a pad or a view at one moment. It is immutable,
// except through UnmarshalJSON. If a Get runs while the snapshot is taken, the time of
// that access may still show in it.
//
// The JSON of a snapshot is the format of the npm package agent-scratchpad:
//
//	{"entries":{key:{key,value,createdAt,updatedAt,accessedAt,ttl,slidingTtl,tags}},"timestamp":ms,"version":1}
//
// Times are milliseconds since 1970. ttl is null or milliseconds. The entries are in
// the order of creation.
//
// The zero value is an empty snapshot. A Snapshot is safe for concurrent use.
type Snapshot struct {
	time   time.Time
	view   view // without a content in an empty snapshot
	prefix string
	json   []byte // the result of MarshalJSON, if it is known

	valueless []string // keys of the entries that had no value in the JSON
}

// Len returns the number of entries.
func (s *Snapshot) Len() int {
	n := 0
	for range s.live() {
		n++
	}
	return n
}

// Time returns when the snapshot was taken.
func (s *Snapshot) Time() time.Time { return s.time }

// All returns the entries in the order of creation, with values as [Pad.Get] returns
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
