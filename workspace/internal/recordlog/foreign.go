package recordlog

import (
	"github.com/agent-scratchpad/scratchpad/workspace/internal/entries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// CheckForeign refuses to write behind records that the journal has not read. page are the
// first of the entries that came since, as [entries.From] selects them.
func CheckForeign(r store.Reader, path string, page []Entry, foreign func(entry []byte) bool) (err error) {
	for len(page) > 0 {
		for _, e := range page {
			if foreign(e.Content) {
				return store.Errorf(store.ErrConflict, "entry %d is of another conversation that is kept here: open it again, and let one at a time write", e.ID)
			}
		}
		if page, err = r.Entries(path, *entries.From(page[len(page)-1].ID + 1)); err != nil {
			return err
		}
	}
	return nil
}
