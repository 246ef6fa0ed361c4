package linediff

import (
	"bytes"
	"math"
)

// A lineSet numbers distinct lines from 0, in the order of their first occurrence.
// Collisions of hash do not change the numbers.
type lineSet struct {
	hash     func(line []byte) uint64
	slots    []uint64    // open addressing: 32 bits of the hash, then the number plus one; 0 is free
	bounds   [][2]uint32 // by number, the start and the end of the line where it came first
	old, new []byte
	firstNew uint32 // the lowest number whose line came first in new
}

// intern returns the number of each line of old and of new, and how many numbers there
// are. Equal lines, line ends included, have equal numbers.
func intern(old, new []byte, oldStarts, newStarts []uint32, hash func([]byte) uint64) (a, b []int32, distinct int) {
	s := &lineSet{hash: hash, slots: make([]uint64, 1<<10), old: old, new: new, firstNew: math.MaxUint32}
	a = s.numbers(old, oldStarts)
	s.firstNew = uint32(len(s.bounds))
	b = s.numbers(new, newStarts)
	return a, b, len(s.bounds)
}

func (s *lineSet) numbers(text []byte, starts []uint32) []int32 {
	ids := make([]int32, len(starts)-1)
	for i := range ids {
		ids[i] = s.number(text, starts[i], starts[i+1])
	}
	return ids
}

func (s *lineSet) number(text []byte, start, end uint32) int32 {
	line := text[start:end]
	h := uint32(s.hash(line))
	mask := uint32(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		slot := s.slots[i]
		if slot == 0 {
			s.bounds = append(s.bounds, [2]uint32{start, end})
			s.slots[i] = uint64(h)<<32 | uint64(len(s.bounds))
			if 2*len(s.bounds) > len(s.slots) {
				s.grow()
			}
			return int32(len(s.bounds) - 1)
		}
		if id := uint32(slot) - 1; uint32(slot>>32) == h && bytes.Equal(s.line(id), line) {
			return int32(id)
		}
	}
}

func (s *lineSet) line(id uint32) []byte {
	at := s.bounds[id]
	if id < s.firstNew {
		return s.old[at[0]:at[1]]
	}
	return s.new[at[0]:at[1]]
}

func (s *lineSet) grow() {
	old := s.slots
	s.slots = make([]uint64, 4*len(old))
	mask := uint32(len(s.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := uint32(slot>>32) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = slot
	}
}
