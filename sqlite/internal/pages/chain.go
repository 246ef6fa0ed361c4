package pages

// ClearOverflow sets the bytes of an overflow page that are not in use to zero, if left
// bytes of the content are on it and on those after it. It returns the next page, 0 for
// none, how many bytes are left for that, and whether any byte changed.
func (h Header) ClearOverflow(page []byte, left int64) (next uint32, rest int64, changed bool, err error) {
	if len(page) != h.Size {
		return 0, 0, false, corrupt("a page has %d bytes, want %d", len(page), h.Size)
	}
	next = number(page, 0)
	room := int64(h.used - 4)
	if last := left <= room; last != (next == 0) {
		return 0, 0, false, corrupt("a chain of overflow pages has the wrong length: %d bytes are left, and the next page is %d", left, next)
	}
	if left > room {
		return next, left - room, false, nil
	}
	return 0, 0, Zero(page[4+left : h.used]), nil
}

// ClearTrunk reads a page of the list of free pages, and sets its bytes that are not in use
// to zero. It returns the next page of the list, 0 for none, the free pages that it lists,
// and whether any byte changed.
func (h Header) ClearTrunk(page []byte) (next uint32, free []uint32, changed bool, err error) {
	if len(page) != h.Size {
		return 0, nil, false, corrupt("a page has %d bytes, want %d", len(page), h.Size)
	}
	n := int64(number(page, 4))
	if n > int64(h.used/4-2) {
		return 0, nil, false, corrupt("a page lists %d free pages", n)
	}
	for i := range int(n) {
		free = append(free, number(page, 8+4*i))
	}
	return number(page, 0), free, Zero(page[8+4*n : h.used]), nil
}
