package pages

import (
	"encoding/binary"
	"slices"
)

// Node is a page of a b-tree.
type Node struct {
	Children []uint32 // in order; none: it is a leaf
	Chains   []Chain  // the overflow pages of its cells

	data  []byte
	used  []extent // in order, without overlaps
	taken []extent // from the first cell to the end: the cells, and the blocks in the list of free ones
}

// Chain is the part of a cell that is on overflow pages.
type Chain struct {
	First uint32 // its first page
	Bytes int64  // on all of its pages
}

// extent is a part of a page.
type extent struct{ from, to int }

// The kinds of pages of a b-tree.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// ReadNode reads a page that is known to be one of a b-tree. first says that it is the first
// page of the database.
func (h Header) ReadNode(page []byte, first bool) (*Node, error) {
	if len(page) != h.Size {
		return nil, corrupt("a page has %d bytes, want %d", len(page), h.Size)
	}
	n := &Node{data: page[:h.used]}
	at := 0
	if first {
		at = headerBytes
	}
	kind, length := page[at], 8
	switch kind {
	case indexInterior, tableInterior:
		length = 12
	case indexLeaf, tableLeaf:
	default:
		return nil, corrupt("a page of a b-tree has the kind %d", kind)
	}
	cells := int(binary.BigEndian.Uint16(page[at+3:]))
	pointers := at + length
	end := pointers + 2*cells
	if end > h.used {
		return nil, corrupt("a page has %d cells", cells)
	}
	n.used = append(n.used, extent{0, end})
	for i := range cells {
		if err := n.cell(h, kind, int(binary.BigEndian.Uint16(page[pointers+2*i:])), end); err != nil {
			return nil, err
		}
	}
	if length == 12 {
		n.Children = append(n.Children, number(page, at+8))
	}
	if err := n.freeBlocks(int(binary.BigEndian.Uint16(page[at+1:]))); err != nil {
		return nil, err
	}
	content := int(binary.BigEndian.Uint16(page[at+5:]))
	if content == 0 {
		content = 1 << 16
	}
	if content < end || content > h.used {
		return nil, corrupt("the cells of a page begin at %d", content)
	}
	if err := order(n.used); err != nil {
		return nil, err
	}
	return n, n.account(content, int(page[at+7]))
}

// cell adds the cell at an offset.
func (n *Node) cell(h Header, kind byte, from, least int) error {
	at := from
	if from < least || from+4 > len(n.data) {
		return corrupt("a cell is at %d", from)
	}
	if kind == indexInterior || kind == tableInterior {
		n.Children = append(n.Children, number(n.data, at))
		at += 4
	}
	size, length := varint(n.data[at:])
	at += length
	if kind == tableLeaf && length > 0 {
		_, length = varint(n.data[at:])
		at += length
	}
	if length == 0 {
		return corrupt("a cell at %d is cut off", from)
	}
	if kind != tableInterior {
		if size > 1<<40 {
			return corrupt("a cell has %d bytes", size)
		}
		local := h.local(kind, int64(size))
		at += int(local)
		if local < int64(size) {
			if at+4 > len(n.data) {
				return corrupt("a cell at %d is cut off", from)
			}
			n.Chains = append(n.Chains, Chain{number(n.data, at), int64(size) - local})
			at += 4
		}
	}
	if at > len(n.data) {
		return corrupt("a cell at %d is cut off", from)
	}
	n.used = append(n.used, extent{from, at})
	n.taken = append(n.taken, extent{from, max(at, from+4)}) // SQLite gives no cell less
	return nil
}

// local returns how many bytes of a cell's payload are on the page itself.
func (h Header) local(kind byte, size int64) int64 {
	u := int64(h.used)
	most, least := u-35, (u-12)*32/255-23
	if kind != tableLeaf {
		most = (u-12)*64/255 - 23
	}
	if size <= most {
		return size
	}
	if local := least + (size-least)%(u-4); local <= most {
		return local
	}
	return least
}

// freeBlocks adds the first four bytes of each block in the page's list of free blocks: the
// place of the next one, and the size.
func (n *Node) freeBlocks(at int) error {
	for at != 0 {
		if at+4 > len(n.data) {
			return corrupt("a free block is at %d", at)
		}
		next, size := int(binary.BigEndian.Uint16(n.data[at:])), int(binary.BigEndian.Uint16(n.data[at+2:]))
		if size < 4 || at+size > len(n.data) || next != 0 && next < at+size {
			return corrupt("a free block at %d has %d bytes", at, size)
		}
		n.used = append(n.used, extent{at, at + 4})
		n.taken = append(n.taken, extent{at, at + size})
		at = next
	}
	return nil
}

// order sorts parts of a page. They must not overlap.
func order(parts []extent) error {
	slices.SortFunc(parts, func(a, b extent) int { return a.from - b.from })
	for i := 1; i < len(parts); i++ {
		if parts[i].from < parts[i-1].to {
			return corrupt("two parts of a page overlap at %d", parts[i].from)
		}
	}
	return nil
}

// account checks that each byte from the first cell on belongs to a cell or a free block,
// or is one of the fragments that the page counts. PRAGMA integrity_check does so too. On
// a page that says too little of what it holds, a cell would look like free space.
func (n *Node) account(content, fragments int) error {
	if err := order(n.taken); err != nil {
		return err
	}
	at := content
	for _, e := range n.taken {
		if e.from < content || e.to > len(n.data) {
			return corrupt("a part of a page is at %d", e.from)
		}
		fragments -= e.from - at
		at = e.to
	}
	if fragments -= len(n.data) - at; fragments != 0 {
		return corrupt("a page counts %d bytes of fragments too many", fragments)
	}
	return nil
}

// Clear sets the bytes of the page that are not in use to zero. It reports whether any was
// not.
func (n *Node) Clear() (changed bool) {
	at := 0
	for _, e := range n.used {
		changed = Zero(n.data[at:e.from]) || changed
		at = e.to
	}
	return Zero(n.data[at:]) || changed
}

// Zero sets bytes to zero and reports whether any was not.
func Zero(b []byte) (changed bool) {
	for i := range b {
		if b[i] != 0 {
			clear(b[i:])
			return true
		}
	}
	return false
}

// varint reads one of SQLite's integers. Its length is 0 if it is cut off.
func varint(b []byte) (v uint64, length int) {
	for i := range min(9, len(b)) {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
