package pages

import (
	"encoding/binary"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Header is what the first page says of a database.
type Header struct {
	Size  int    // bytes of a page
	Trunk uint32 // the first page of the list of free pages; 0: there is none
	used  int    // bytes of a page that SQLite uses
}

const headerBytes = 100

// ReadHeader reads the first page.
func ReadHeader(page []byte) (Header, error) {
	if len(page) < 512 || string(page[:16]) != "SQLite format 3\x00" {
		return Header{}, corrupt("page 1 is not that of a database")
	}
	h := Header{Size: len(page), Trunk: number(page, 32), used: len(page) - int(page[20])}
	if h.used < 480 {
		return Header{}, corrupt("page 1 gives %d bytes of a page to SQLite", h.used)
	}
	if number(page, 52) != 0 {
		return Header{}, workspace.Errorf(workspace.ErrUnsupported, "the database has auto_vacuum, which this module does not use")
	}
	return h, nil
}

// LockPage returns the number of the page that SQLite never uses, because it locks bytes
// there.
func (h Header) LockPage() uint32 { return uint32(1<<30/h.Size) + 1 }

func number(page []byte, at int) uint32 { return binary.BigEndian.Uint32(page[at:]) }

func corrupt(format string, args ...any) error {
	return workspace.Errorf(workspace.ErrCorrupt, format, args...)
}
