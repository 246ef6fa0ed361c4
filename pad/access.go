package pad

import "sync/atomic"

// An access must not show in a snapshot that was taken before. So its time is stored in
// the entry only if no snapshot was taken since the entry was made. Otherwise it is
// stored in a touch, which belongs to an epoch. A snapshot sees the touches up to its own
// epoch, and its pad goes on in a new epoch.

var (
	epochs    atomic.Uint64 // each epoch is used by one pad, so that no pad changes another's entries
	revisions atomic.Uint64 // each revision is used by one change
)

func newEpoch() uint64 { return epochs.Add(1) }

// moment is a point in the history of a pad: an epoch on a branch. It decides which
// accesses a pad or a view sees.
type moment struct {
	branch *branch
	epoch  uint64
}

// touch is the last access of an entry in one epoch of one branch. The touches of an
// entry are a list, the newest first.
type touch struct {
	branch *branch
	epoch  uint64
	at     atomic.Int64 // Unix ms
	before *touch
	number int // of touches from this one to the end of the list

	key  string
	next *touch // in the list of the branch
}

// branch is a sequence of epochs of one pad. A fork and a restore begin a new branch:
// the accesses that the pad made after the snapshot are not part of its past.
type branch struct {
	parent atomic.Pointer[branch] // nil: there is none, or its accesses are stored in the entries
	until  uint64                 // the last epoch of the parent that belongs to the past
	depth  int

	touched atomic.Pointer[touch] // the list of all touches of the branch
	touches atomic.Int64          // their number
}

// after returns a moment on a new branch that continues from m.
func (m moment) after() moment {
	b := &branch{until: m.epoch, depth: m.branch.depth + 1}
	b.parent.Store(m.branch)
	return moment{b, newEpoch()}
}

// sees reports whether a touch belongs to the past of the moment.
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
