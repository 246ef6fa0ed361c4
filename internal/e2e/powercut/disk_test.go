//go:build linux

package powercut

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
)

// A disk is one folder of files. It is safe for concurrent use.
type disk struct {
	mu sync.Mutex // guards the following, and the files

	// stops is called before every change and every sync. If it returns true, the disk
	// freezes before that event. nil: the disk never freezes.
	stops func(event) bool
	// lies reports whether a sync of the file is answered without being done. nil: never.
	lies func(name string, h *handle) bool
	// fails reports whether a sync of the file fails. Then processes still see what
	// they wrote since the last sync, but the disk has lost it. nil: never.
	fails func(name string) bool
	// mayReplace says that no rename can refuse to replace a file, as on macOS and on most file
	// systems of FUSE. A file gets its name by a link then.
	mayReplace bool

	names   map[string]*file // as processes see them
	synced  map[string]*file // as a cut leaves them at least
	changes []nameChange     // of names since then
	frozen  bool             // nothing changes any more
	lastIno uint64
}

// An event is a request of a process to the disk.
type event struct {
	op   string // create, write, truncate, sync, unlink, rename, link, syncdir
	name string // of the file; if it has several, one of them
}

// A nameChange is a link, a removal, or both in one step.
type nameChange struct {
	removed string // "": none
	added   string // "": none
	file    *file  // of added
}

// A file has one or more names. Its fields are guarded by the disk's lock.
type file struct {
	ino     uint64
	name    string // the last one that it was given
	content []byte // as processes see it
	synced  []byte // as a cut leaves it at least
	changes []change
	node    *fs.Inode // nil: not seen yet
}

// A change is a write at an offset. If data is nil, it is a new size.
type change struct {
	data []byte
	at   int64
}

func newDisk(image map[string][]byte) *disk {
	d := &disk{names: map[string]*file{}, synced: map[string]*file{}}
	first := map[*byte]*file{}
	for name, content := range image {
		f := first[identity(content)]
		if f == nil {
			f = d.newFile(name)
			f.content, f.synced = slices.Clone(content), slices.Clone(content)
			first[identity(content)] = f
		}
		d.names[name], d.synced[name] = f, f
	}
	return d
}

// identity tells the contents in an image apart: names of one file have the same content, in
// the same memory.
func identity(content []byte) *byte { return &content[:1][0] }

func (d *disk) newFile(name string) *file {
	d.lastIno++
	return &file{ino: d.lastIno + 1, name: name}
}

// stopAt freezes the disk before an event and calls then. The number of the event, from
// 0, is among those for which counts returns true.
func (d *disk) stopAt(number int, counts func(event) bool, then func(event)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops = func(e event) bool {
		if !counts(e) {
			return false
		}
		number--
		if number != -1 {
			return false
		}
		then(e)
		return true
	}
}

// freeze stops all changes.
func (d *disk) freeze() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frozen = true
}

// thaw undoes freeze and stopAt.
func (d *disk) thaw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frozen, d.stops = false, nil
}

// ask reports whether an event may happen. The caller holds the lock.
func (d *disk) ask(op string, f *file) syscall.Errno {
	name := ""
	if f != nil {
		name = f.name
	}
	if isShared(name) { // memory that processes share; a cut loses it
		return 0
	}
	d.frozen = d.frozen || d.stops != nil && d.stops(event{op, name})
	if d.frozen {
		return syscall.EIO
	}
	return 0
}

func (d *disk) write(f *file, h *handle, data []byte, at int64) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	h.wrote = true
	if errno := d.ask("write", f); errno != 0 {
		return errno
	}
	f.apply(change{slices.Clone(data), at})
	return 0
}

func (d *disk) truncate(f *file, size int64) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if errno := d.ask("truncate", f); errno != 0 {
		return errno
	}
	f.apply(change{nil, size})
	return 0
}

func (f *file) apply(c change) {
	f.content = c.on(f.content)
	if isShared(f.name) {
		return
	}
	f.changes = append(f.changes, c)
}

// on returns the content with the change made.
func (c change) on(content []byte) []byte {
	size := max(int64(len(content)), c.at+int64(len(c.data)))
	if c.data == nil {
		size = c.at
	}
	for int64(len(content)) < size {
		content = append(content, make([]byte, size-int64(len(content)))...)
	}
	content = content[:size]
	copy(content[min(c.at, size):], c.data)
	return content
}

func (d *disk) sync(f *file, h *handle) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if errno := d.ask("sync", f); errno != 0 {
		return errno
	}
	switch {
	case d.fails != nil && d.fails(f.name):
		f.changes = nil
		return syscall.EIO
	case d.lies == nil || !d.lies(f.name, h):
		f.settle()
	}
	return 0
}

// settle makes the changes of a file durable.
func (f *file) settle() {
	for _, c := range f.changes {
		f.synced = c.on(f.synced)
	}
	f.changes = nil
}

func (d *disk) syncFolder() syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if errno := d.ask("syncdir", nil); errno != 0 {
		return errno
	}
	for _, c := range d.changes {
		c.on(d.synced)
	}
	d.changes = nil
	return 0
}

func (c nameChange) on(names map[string]*file) {
	if c.removed != "" {
		delete(names, c.removed)
	}
	if c.added != "" {
		names[c.added] = c.file
	}
}

// rename makes a change of names; op says which. The caller holds the lock.
func (d *disk) rename(op string, f *file, c nameChange) syscall.Errno {
	if errno := d.ask(op, f); errno != 0 {
		return errno
	}
	c.on(d.names)
	d.changes = append(d.changes, c)
	if c.added != "" {
		c.file.name = c.added
	}
	return 0
}

// links returns how many names a file has. The caller holds the lock.
func (d *disk) links(f *file) (n uint32) {
	for _, other := range d.names {
		if other == f {
			n++
		}
	}
	return n
}

// keeping says which unsynced changes a cut leaves.
type keeping int

const (
	none  keeping = iota // nothing
	all                  // everything
	first                // the first ones of each file
	some                 // any of them
	torn                 // any sectors of any of them
	ways                 // how many ways there are
)

func (k keeping) String() string { return [...]string{"none", "all", "first", "some", "torn"}[k] }

// cut returns what the disk holds after a power cut.
func (d *disk) cut(how keeping, r *rand.Rand) map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := maps.Clone(d.synced)
	for _, c := range choose(d.changes, how, r) {
		c.on(names)
	}
	image, done := map[string][]byte{}, map[*file][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // in order, so that r decides alike each time
		f := names[name]
		if content, ok := done[f]; ok && !isShared(name) {
			image[name] = content
			continue
		}
		content := slices.Clone(f.synced)
		for _, c := range choose(f.changes, how, r) {
			if how == torn && c.data != nil {
				content = c.tear(content, r)
			} else {
				content = c.on(content)
			}
		}
		if !isShared(name) {
			content = append(slices.Clip(content), 0)[:len(content)] // memory of its own, see identity
			image[name], done[f] = content, content
		}
	}
	return image
}

func choose[T any](changes []T, how keeping, r *rand.Rand) (kept []T) {
	switch how {
	case none:
		return nil
	case all:
		return changes
	case first:
		return changes[:r.IntN(len(changes)+1)]
	}
	share := r.Float64()
	for _, c := range changes {
		if r.Float64() < share {
			kept = append(kept, c)
		}
	}
	return kept
}

// tear makes a change in some sectors only.
func (c change) tear(content []byte, r *rand.Rand) []byte {
	sector := int64(512)
	if r.IntN(2) == 0 {
		sector = 4096
	}
	for at := c.at; at < c.at+int64(len(c.data)); {
		end := min(at/sector*sector+sector, c.at+int64(len(c.data)))
		if r.IntN(2) == 0 {
			content = change{c.data[at-c.at : end-c.at], at}.on(content)
		}
		at = end
	}
	return content
}
