package pad_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// record is an entry of the model, with its full key.
type record struct {
	key              string
	value            any
	created, updated int64 // Unix ns
	accessed         int64 // Unix ms
	ttl              time.Duration
	sliding          bool
	tags             string // joined with commas
}

func recordOf(e pad.Entry) record {
	return record{
		key: e.Key, value: e.Value, created: e.CreatedAt.UnixNano(), updated: e.UpdatedAt.UnixNano(), accessed: e.AccessedAt.UnixMilli(),
		ttl: e.TTL, sliding: e.Sliding, tags: strings.Join(e.Tags, ","),
	}
}

func recordsOf(entries []pad.Entry) []record {
	list := make([]record, 0, len(entries))
	for _, e := range entries {
		list = append(list, recordOf(e))
	}
	return list
}

func (r record) expired(now time.Time) bool {
	from := r.created
	if r.sliding {
		from = r.accessed * int64(time.Millisecond)
	}
	return r.ttl > 0 && (from <= 0 || int64(r.ttl) <= math.MaxInt64-from) && now.UnixNano() >= from+int64(r.ttl)
}

// happening is an event of the model.
type happening struct {
	kind   pad.EventKind
	key    string
	entry  record
	update bool
	count  int
	prefix string
}

func happeningOf(e pad.Event) happening {
	h := happening{kind: e.Kind, key: e.Key, update: e.Update, count: e.Count, prefix: e.Prefix}
	if e.Kind != pad.EventClear {
		h.entry = recordOf(e.Entry)
	}
	return h
}

// model is a simple pad to compare with: a slice of records.
type model struct {
	now     func() time.Time
	ttl     time.Duration // the default; 0: none
	sliding bool
	list    []record // in order of creation
	happen  func(happening)
}

func (m *model) find(key string) int {
	return slices.IndexFunc(m.list, func(r record) bool { return r.key == key })
}

// meet returns the index of a live entry, and removes an expired one.
func (m *model) meet(key string) int {
	i := m.find(key)
	if i >= 0 && m.list[i].expired(m.now()) {
		m.expire(i)
		return -1
	}
	return i
}

func (m *model) expire(i int) {
	r := m.list[i]
	m.list = slices.Delete(m.list, i, i+1)
	m.happen(happening{kind: pad.EventExpire, key: r.key, entry: r})
}

func (m *model) set(key string, value any, o pad.SetOptions) {
	switch o.TTL {
	case 0:
		o.TTL = m.ttl
	case pad.Forever:
		o.TTL = 0
	}
	sliding := o.Expiry == pad.Sliding || o.Expiry == pad.InheritExpiry && m.sliding
	var tags []string
	for _, tag := range o.Tags {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	m.put(record{key: key, value: value, ttl: o.TTL, sliding: sliding, tags: strings.Join(tags, ",")})
}

// put stores a record with its options, and with the current time.
func (m *model) put(r record) {
	now := m.now()
	if r.sliding && r.ttl > 0 && r.ttl < time.Millisecond {
		r.ttl = time.Millisecond // no Set is born dead
	}
	r.created, r.updated, r.accessed = now.UnixNano(), now.UnixNano(), now.UnixMilli()
	if i := m.meet(r.key); i >= 0 {
		old := r
		old.created = m.list[i].created
		if !old.expired(now) {
			m.list[i] = old
			m.happen(happening{kind: pad.EventSet, key: r.key, entry: old, update: true})
			return
		}
		m.expire(i)
	}
	m.list = append(m.list, r)
	m.happen(happening{kind: pad.EventSet, key: r.key, entry: r})
}

func (m *model) get(key string) (any, bool) {
	i := m.meet(key)
	if i < 0 {
		return nil, false
	}
	m.list[i].accessed = max(m.list[i].accessed, m.now().UnixMilli())
	return m.list[i].value, true
}

func (m *model) peek(key string) (record, bool) {
	if i := m.meet(key); i >= 0 {
		return m.list[i], true
	}
	return record{}, false
}

func (m *model) remove(key string) bool {
	i := m.meet(key)
	if i < 0 {
		return false
	}
	r := m.list[i]
	m.list = slices.Delete(m.list, i, i+1)
	m.happen(happening{kind: pad.EventDelete, key: key, entry: r})
	return true
}

// live returns the live entries below a prefix, with keys without it.
func (m *model) live(prefix string) []record { return liveOf(m.list, prefix, m.now()) }

func liveOf(list []record, prefix string, now time.Time) []record {
	live := []record{}
	for _, r := range list {
		if within(r.key, prefix) && !r.expired(now) {
			r.key = r.key[len(prefix):]
			live = append(live, r)
		}
	}
	return live
}

// within reports whether a view has a key. No view has the empty key.
func within(key, prefix string) bool { return strings.HasPrefix(key, prefix) && key != prefix }

func (m *model) clear(prefix string) int {
	n := len(m.live(prefix))
	m.list = slices.DeleteFunc(m.list, func(r record) bool { return within(r.key, prefix) })
	m.happen(happening{kind: pad.EventClear, count: n, prefix: prefix})
	return n
}

func (m *model) restore(prefix string, from []record) {
	m.clear(prefix)
	for _, r := range from {
		r.key = prefix + r.key
		m.list = append(m.list, r)
	}
	for _, r := range from {
		if !r.expired(m.now()) {
			r.key = prefix + r.key
			m.happen(happening{kind: pad.EventSet, key: r.key, entry: r})
		}
	}
}

// sweep removes expired entries, in any order.
func (m *model) sweep() int {
	n := 0
	for i := 0; i < len(m.list); {
		if m.list[i].expired(m.now()) {
			m.expire(i)
			n++
		} else {
			i++
		}
	}
	return n
}

func (m *model) stats(prefix string) pad.Stats {
	st := pad.Stats{Namespaces: []string{}, TagCounts: map[string]int{}}
	names := map[string]bool{}
	for _, r := range m.list {
		if within(r.key, prefix) {
			st.RawSize++
		}
	}
	for _, r := range m.live(prefix) {
		st.Size++
		if r.ttl > 0 {
			st.WithTTL++
		}
		if r.tags != "" {
			for _, tag := range strings.Split(r.tags, ",") {
				st.TagCounts[tag]++
			}
		}
		if name, _, ok := strings.Cut(r.key, ":"); ok && name != "" {
			names[name] = true
		}
		created := time.Unix(0, r.created)
		if st.Oldest.IsZero() || created.Before(st.Oldest) {
			st.Oldest = created
		}
		if created.After(st.Newest) {
			st.Newest = created
		}
	}
	st.Namespaces = append(st.Namespaces, slices.Sorted(maps.Keys(names))...)
	st.Expired = st.RawSize - st.Size
	return st
}

// inJSON returns records after they were written as JSON, which rounds to milliseconds.
func inJSON(list []record, at time.Time) []record {
	list = slices.Clone(list)
	floor := func(ns int64) int64 { return time.Unix(0, ns).UnixMilli() * int64(time.Millisecond) }
	for i := range list {
		r := &list[i]
		r.created, r.updated = floor(r.created), floor(r.updated)
		if part := r.ttl % time.Millisecond; part > 0 && r.ttl < math.MaxInt64 {
			r.ttl += time.Millisecond - part
		}
	}
	return liveOf(list, "", time.UnixMilli(at.UnixMilli()))
}
