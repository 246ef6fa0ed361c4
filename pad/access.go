package pad

import "sync/atomic"

// moment is a point on a branch: what the store is at, and what a view saw.
type moment struct {
	branch *branch
	epoch  uint64
}

// touch is when an entry was accessed after its epoch, in one later epoch of one
// branch. The newest stands first.
type touch struct {
	branch *branch
	epoch  uint64
	at     atomic.Int64 // Unix ms
	before *touch
	number int // of this and those before

	key  string
	next *touch // of the branch
}

// branch is a line of epochs of one pad. A fork begins one, and so does a
// restore: what a pad did after the snapshot is none of their past.
type branch struct {
	parent atomic.Pointer[branch] // nil: none, or everything of it stands in the entries
	until  uint64                 // the last epoch of the parent that is past
	depth  int

	touched atomic.Pointer[touch] // the first touches of entries in each epoch
	touches atomic.Int64
}

// after returns a moment on a new branch, whose past is this one and its past.
func (m moment) after() moment {
	b := &branch{until: m.epoch, depth: m.branch.depth + 1}
	b.parent.Store(m.branch)
	return moment{b, newEpoch()}
}

// sees reports whether a touch is in the past of the moment.
func (m moment) sees(t *touch) bool {
	epoch := m.epoch
	for b := m.branch; b != nil; b = b.parent.Load() {
		if b == t.branch {
			return t.epoch <= epoch
		}
		epoch = b.until
	}
	return false
}

func (b *branch) add(t *touch) {
	b.touches.Add(1)
	for {
		t.next = b.touched.Load()
		if b.touched.CompareAndSwap(t.next, t) {
			return
		}
	}
}

func raise(to *atomic.Int64, ms int64) {
	for have := to.Load(); have < ms && !to.CompareAndSwap(have, ms); {
		have = to.Load()
	}
}

var (
	epochs    atomic.Uint64 // given to one store each, so that none takes another's entries for its own
	revisions atomic.Uint64 // given to one change each, so that none takes another's entry for its own
)

func newEpoch() uint64 { return epochs.Add(1) }
