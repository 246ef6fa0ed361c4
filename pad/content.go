package pad

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/agent-scratchpad/scratchpad/pad/internal/trie"
)

// content holds the entries of a pad by key, and ordered indexes of their keys. Copies
// share structure.
type content struct {
	trie  entryTrie
	order *btree.BTreeG[place]
	keys  *btree.BTreeG[string]
	tags  *btree.BTreeG[tagged]
	due   *btree.BTreeG[due]
	seq   uint64     // of the pad when the content was frozen
	lock  sync.Mutex // held while a frozen content is copied
}

// entryTrie holds the entries by key. Readers without a lock use its root.
type (
	entryTrie = trie.Trie[entry, *entry]
	entryNode = trie.Node[entry, *entry]
)

// place is the place of a key in the order of creation.
type place struct {
	seq uint64
	key string
}

// tagged is the place of an entry among those with the same tag.
type tagged struct {
	tag string
	seq uint64
}

// due is the place of an entry in the index of expiry. It does not expire before at.
type due struct {
	at  int64 // Unix ns
	seq uint64
}

func newContent() *content {
	options := btree.Options{NoLocks: true}
	return &content{
		order: btree.NewBTreeGOptions(func(a, b place) bool { return a.seq < b.seq }, options),
		keys:  btree.NewBTreeGOptions(func(a, b string) bool { return a < b }, options),
		tags: btree.NewBTreeGOptions(func(a, b tagged) bool {
			return a.tag < b.tag || a.tag == b.tag && a.seq < b.seq
		}, options),
		due: btree.NewBTreeGOptions(func(a, b due) bool {
			return a.at < b.at || a.at == b.at && a.seq < b.seq
		}, options),
	}
}

// copied returns a copy to change, of a content that is frozen.
func (c *content) copied() *content {
	c.lock.Lock()
	defer c.lock.Unlock()
	d := &content{trie: c.trie.Copy()}
	d.order, d.keys, d.tags, d.due = c.order.Copy(), c.keys.Copy(), c.tags.Copy(), c.due.Copy()
	return d
}

// put stores an entry. old is the entry that has its key now, or nil.
func (c *content) put(e, old *entry) {
	c.trie.Put(e)
	if old == nil || old.seq != e.seq {
		if old == nil {
			c.keys.Set(e.key)
		} else {
			c.order.Delete(place{seq: old.seq})
		}
		c.order.Set(place{e.seq, e.key})
	}
	c.retag(e, old)
	if old != nil && old.ttl > 0 && (e.ttl == 0 || old.due != e.due || old.seq != e.seq) {
		c.due.Delete(due{old.due, old.seq})
	}
	if e.ttl > 0 {
		c.due.Set(due{e.due, e.seq})
	}
}

func (c *content) retag(e, old *entry) {
	if old != nil && old.seq == e.seq && slices.Equal(old.tags, e.tags) {
		return
	}
	if old != nil {
		c.untag(old)
	}
	for _, tag := range e.tags {
		c.tags.Set(tagged{tag, e.seq})
	}
}

func (c *content) untag(e *entry) {
	for _, tag := range e.tags {
		c.tags.Delete(tagged{tag, e.seq})
	}
}

// drop removes an entry, which must be there.
func (c *content) drop(e *entry) {
	c.trie.Remove(e.key)
	c.keys.Delete(e.key)
	c.order.Delete(place{seq: e.seq})
	c.untag(e)
	if e.ttl > 0 {
		c.due.Delete(due{e.due, e.seq})
	}
}

// dueBy returns the entries that are due at the given time by the index of expiry. All
// that have expired are among them.
func (c *content) dueBy(now time.Time) []*entry {
	var list []*entry
	c.due.Scan(func(d due) bool {
		if d.at > nanoseconds(now) {
			return false
		}
		list = append(list, c.at(d.seq))
		return true
	})
	return list
}

// at returns the entry at a place in the order of creation, which must be taken.
func (c *content) at(seq uint64) *entry {
	p, _ := c.order.Get(place{seq: seq})
	return c.trie.Get(p.key)
}

// within reports whether a key belongs to the view with the prefix. No view has the
// empty key.
func within(key, prefix string) bool {
	return len(key) > len(prefix) && strings.HasPrefix(key, prefix)
}

// below returns all entries of a view in the order of creation, expired or not. The
// cost follows their number.
func (c *content) below(prefix string) iter.Seq[*entry] {
	if prefix == "" {
		return func(yield func(*entry) bool) {
			c.order.Scan(func(p place) bool { return yield(c.trie.Get(p.key)) })
		}
	}
	return func(yield func(*entry) bool) {
		var list []*entry
		c.keys.Ascend(prefix, func(key string) bool {
			if !strings.HasPrefix(key, prefix) {
				return false
			}
			if within(key, prefix) {
				list = append(list, c.trie.Get(key))
			}
			return true
		})
		slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}

// withTag returns all entries of a view with a tag, in the order of creation.
func (c *content) withTag(tag, prefix string) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		c.tags.Ascend(tagged{tag: tag}, func(t tagged) bool {
			if t.tag != tag {
				return false
			}
			e := c.at(t.seq)
			return !within(e.key, prefix) || yield(e)
		})
	}
}
