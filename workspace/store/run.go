package store

import (
	"encoding/binary"
	"slices"
	"time"
)

// Oldest returns the lowest retained version, or Version+1 if no version is retained.
func (h FileHead) Oldest() int64 {
	if runs := h.runs(); len(runs) > 0 {
		return runs[0].First
	}
	return h.Version + 1
}

// Has reports whether version n is retained.
func (h FileHead) Has(n int64) bool { return h.Index(n) >= 0 }

// Index returns the place of version n in Sizes, or -1 if the version is not retained.
func (h FileHead) Index(n int64) int {
	before := int64(0)
	for _, r := range h.runs() {
		if i := n - r.First; i >= 0 && i < r.Count && before+i < int64(len(h.Sizes)) {
			return int(before + i)
		}
		before += r.Count
	}
	return -1
}

// SizeOf returns the bytes of version n, or 0 if the version is not retained.
func (h FileHead) SizeOf(n int64) int64 {
	if i := h.Index(n); i >= 0 {
		return h.Sizes[i]
	}
	return 0
}

// Numbers returns the retained versions, the oldest first.
func (h FileHead) Numbers() []int64 {
	all := make([]int64, 0, len(h.Sizes))
	for _, r := range h.runs() {
		for n := r.First; n < r.First+r.Count && len(all) < len(h.Sizes); n++ {
			all = append(all, n)
		}
	}
	return all
}

// Last returns the highest retained version, or 0 if no version is retained.
func (h FileHead) Last() int64 {
	if all := h.Numbers(); len(all) > 0 {
		return all[len(all)-1]
	}
	return 0
}

// CreatedOf returns when the file that version n belongs to was created. For a version that is
// not retained, it is Created.
func (h FileHead) CreatedOf(n int64) time.Time {
	for _, r := range h.Runs {
		if n >= r.First && n < r.First+r.Count {
			return r.Created
		}
	}
	return h.Created
}

// Keep makes n the highest version, and retains it. n is above Version, and size is in bytes.
// The version belongs to a file that was created at created, which becomes Created. Keep changes
// no slice that another head shares.
func (h *FileHead) Keep(n, size int64, created time.Time) {
	runs := extend(slices.Clone(h.runs()), n, created)
	h.Sizes = append(slices.Clip(h.Sizes), size)
	h.Version, h.Created = n, created
	h.setRuns(runs)
}

// Drop removes the n oldest retained versions, and returns the highest of them. There are at
// least n.
func (h *FileHead) Drop(n int) (through int64) {
	through = h.Numbers()[n-1]
	h.Retain(func(n int64) bool { return n > through })
	return through
}

// Retain keeps those retained versions for which keep returns true. Version stays. Retain
// changes no slice that another head shares.
func (h *FileHead) Retain(keep func(n int64) bool) {
	var sizes []int64
	var runs []Run
	for i, n := range h.Numbers() {
		if keep(n) {
			sizes, runs = append(sizes, h.Sizes[i]), extend(runs, n, h.CreatedOf(n))
		}
	}
	h.Sizes = sizes
	h.setRuns(runs)
}

// runs returns Runs, or what nil stands for.
func (h FileHead) runs() []Run {
	if h.Runs != nil || len(h.Sizes) == 0 {
		return h.Runs
	}
	count := int64(len(h.Sizes))
	return []Run{{h.Version - count + 1, count, h.Created}}
}

// setRuns sets Runs, to nil if that stands for the same.
func (h *FileHead) setRuns(runs []Run) {
	h.Runs = runs
	if len(runs) == 0 || len(runs) == 1 && runs[0].First+runs[0].Count == h.Version+1 &&
		runs[0].Created.Equal(h.Created) {
		h.Runs = nil
	}
}

// extend adds a version above all in runs.
func extend(runs []Run, n int64, created time.Time) []Run {
	if last := len(runs) - 1; last >= 0 && runs[last].First+runs[last].Count == n &&
		runs[last].Created.Equal(created) {
		runs[last].Count++
		return runs
	}
	return append(runs, Run{n, 1, created})
}

// Packed is a field of a row that is stored as bytes. Pack returns nil for the zero field.
// Unpack reads what Pack returned, and reports false for other bytes.
type Packed interface {
	Pack() []byte
	Unpack([]byte) bool
}

// past is the [Packed] form of the Deleter and the Runs of a head.
type past FileHead

func (p *past) Pack() []byte {
	if p.Deleter == (Author{}) && len(p.Runs) == 0 {
		return nil
	}
	numbers := []int64{int64(len(p.Runs))}
	for _, r := range p.Runs {
		numbers = append(numbers, r.First, r.Count, r.Created.UnixMicro())
	}
	return Pack(numbers, p.Deleter.Client, p.Deleter.Version, p.Deleter.Key)
}

func (p *past) Unpack(b []byte) bool {
	p.Deleter, p.Runs = Author{}, nil
	if len(b) == 0 {
		return true
	}
	count, size := binary.Varint(b)
	if size <= 0 || count < 0 || count > int64(len(b)) {
		return false
	}
	if count > 0 {
		p.Runs = make([]Run, count)
	}
	created := make([]int64, count)
	var numbers []*int64
	for i := range p.Runs {
		numbers = append(numbers, &p.Runs[i].First, &p.Runs[i].Count, &created[i])
	}
	ok := Unpack(b[size:], numbers, &p.Deleter.Client, &p.Deleter.Version, &p.Deleter.Key)
	for i := range p.Runs {
		p.Runs[i].Created = time.UnixMicro(created[i]).UTC()
	}
	return ok
}
