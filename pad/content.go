package pad

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"
)

// content holds the entries of a pad by key, and ordered indexes of their keys. Copies
// share structure.
type content struct {
	root  *node
	order *btree.BTreeG[place]
	keys  *btree.BTreeG[string]
	tags  *btree.BTreeG[tagged]
	due   *btree.BTreeG[due]
	seq   uint64     // the last place in the order of creation
	lock  sync.Mutex // held while a content that is shared is copied
}

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
	return &content{
		root:  new(node),
		order: newIndex(func(a, b place) bool { return a.seq < b.seq }),
		keys:  newIndex(func(a, b string) bool { return a < b }),
		tags:  newIndex(func(a, b tagged) bool { return a.tag < b.tag || a.tag == b.tag && a.seq < b.seq }),
		due:   newIndex(func(a, b due) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }),
	}
}

// nothing is an empty content, which is always shared.
var nothing = newContent()

func newIndex[T any](less func(a, b T) bool) *btree.BTreeG[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// copied returns a copy to change, of a content that is shared.
func (c *content) copied() *content {
	c.lock.Lock()
	defer c.lock.Unlock()
	return &content{
		root: c.root, order: c.order.Copy(), keys: c.keys.Copy(), tags: c.tags.Copy(), due: c.due.Copy(), seq: c.seq,
	}
}

// put stores an entry. old is the entry that has its key now, or nil. An entry without a
// place gets that of old, or the last one.
func (c *content) put(e, old *entry) {
	if old != nil && e.seq == 0 {
		c.drop(old)
		old = nil
	}
	if e.seq == 0 {
		c.seq++
		e.seq = c.seq
	}
	e.hash, e.due = hashOf(e.key), e.dueAt()
	c.root = c.root.with(e, 0)
	if old == nil {
		c.keys.Set(e.key)
		c.order.Set(place{e.seq, e.key})
	}
	if old == nil || !slices.Equal(old.tags, e.tags) {
		c.untag(old)
		for _, tag := range e.tags {
			c.tags.Set(tagged{tag, e.seq})
		}
	}
	if old != nil && old.ttl > 0 {
		c.due.Delete(due{old.due, old.seq})
	}
	if e.ttl > 0 {
		c.due.Set(due{e.due, e.seq})
	}
}

func (c *content) untag(e *entry) {
	if e == nil {
		return
	}
	for _, tag := range e.tags {
		c.tags.Delete(tagged{tag, e.seq})
	}
}

// drop removes an entry, which must be there.
func (c *content) drop(e *entry) {
	c.root = c.root.without(e, 0)
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
	return c.root.get(p.key)
}

// size counts the live entries of a view. For the whole pad the cost follows the number of
// entries that are due.
func (c *content) size(prefix string, now time.Time) (n int) {
	if prefix != "" {
		for range c.live(prefix, now) {
			n++
		}
		return n
	}
	n = c.order.Len()
	for _, e := range c.dueBy(now) {
		if e.expired(now) {
			n--
		}
	}
	return n
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
			c.order.Scan(func(p place) bool { return yield(c.root.get(p.key)) })
		}
	}
	var list []*entry
	c.keys.Ascend(prefix, func(key string) bool {
		if within(key, prefix) {
			list = append(list, c.root.get(key))
		}
		return strings.HasPrefix(key, prefix)
	})
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Values(list)
}

// live returns the entries of a view that have not expired, in the order of creation.
func (c *content) live(prefix string, now time.Time) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for e := range c.below(prefix) {
			if !e.expired(now) && !yield(e) {
				return
			}
		}
	}
}

// entry returns the live entry of a full key, nil if there is none.
func (c *content) entry(key string, now time.Time) *entry {
	if e := c.root.get(key); e != nil && !e.expired(now) {
		return e
	}
	return nil
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
