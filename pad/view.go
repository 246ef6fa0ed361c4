package pad

import "time"

// view is the content of a pad at one moment.
type view struct {
	content *content // frozen
	at      moment
}

func emptyView() view { return view{newContent(), moment{&branch{}, newEpoch()}} }

// live returns the entries below a prefix that have not expired, in the order of
// creation.
func (v view) live(prefix string, now time.Time) func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for e := range v.content.below(prefix) {
			if !e.expired(v.at, now) && !yield(e) {
				return
			}
		}
	}
}

// entry returns the live entry of a full key, nil if there is none.
func (v view) entry(key string, now time.Time) *entry {
	if v.content == nil {
		return nil
	}
	if e := v.content.trie.Get(key); e != nil && !e.expired(v.at, now) {
		return e
	}
	return nil
}

func (v view) publicly(e *entry, key string) *Entry {
	if e == nil {
		return nil
	}
	return new(e.public(v.at, key))
}

// expiredBy counts the expired entries. The cost follows the number of entries that
// are due.
func (v view) expiredBy(now time.Time) int {
	n := 0
	for _, e := range v.content.dueBy(now) {
		if e.expired(v.at, now) {
			n++
		}
	}
	return n
}
