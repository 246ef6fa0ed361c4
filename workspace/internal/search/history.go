package search

import (
	"bytes"
	"hash/maphash"
	"math"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxKnown     = 1 << 18 // lines of a file that are known; further ones may be found in several versions
	smallKnown   = 1 << 13 // lines; to clear a larger map takes longer than to make one
	pageVersions = 2048    // of a page
)

// A History is what a search knows of the older versions of one file after the other. It reads
// the newest version of a file first, and of the older ones only the lines that no newer one has.
type History struct {
	Now time.Time // deleted files that can be restored no more are left out

	seed  maphash.Seed
	path  string           // of the file
	from  int64            // the oldest version that was read
	known map[uint64]int64 // for the hash of a line, the newest version that has it
}

// versions returns a page of versions, from the last path to the first and the newest first.
func (s storePages) versions(tx store.Reader, at Place) (texts []Text, next any, err error) {
	if err := s.history.catchUp(tx, s.prefix, at); err != nil {
		return nil, at, err
	}
	page, err := tx.Scan(s.scan(at))
	for i := range page.Files {
		f := &page.Files[i]
		v := &f.Current
		at = Place{path: f.Path, version: v.Number}
		unseen := s.history.read(f.Path, v) // a redacted version has none
		if v.Redacted != nil || f.Deleted && !f.Restorable(s.history.Now) {
			continue
		}
		t := Text{Path: f.Path, Time: v.Time, Content: v.Content, Check: func() error { return v.Verify() }}
		if f.Deleted || v.Number < f.Version {
			t.Version, t.Deleted, t.Content = v.Number, f.Deleted, unseen
		}
		if t.Version == 0 || !isBlank(unseen) {
			texts = append(texts, t)
		}
	}
	return texts, s.afterFiles(at, page.More), err
}

func (s storePages) scan(at Place) store.ScanQuery {
	return store.ScanQuery{Kind: store.KindFile, Prefix: s.prefix, After: at.path, Before: at.version,
		Limit: pageVersions, Versions: true, MaxBytes: PageBytes}
}

// read returns a version in which the lines are empty that a newer one has.
func (h *History) read(path string, v *store.Version) (unseen []byte) {
	if h.path != path || h.known == nil {
		if h.known == nil || len(h.known) > smallKnown {
			h.seed, h.known = maphash.MakeSeed(), map[uint64]int64{}
		}
		clear(h.known)
		h.path = path
	}
	h.from = v.Number
	at, same := 0, true // all lines before at are as in the version
	for line := range bytes.Lines(v.Content) {
		text := bytes.TrimRight(line, "\r\n")
		hash := maphash.Bytes(h.seed, text)
		newest, known := h.known[hash]
		switch {
		case len(text) == 0: // it stays as it is
		case !known && len(h.known) < maxKnown:
			h.known[hash] = v.Number
		case known && newest != v.Number:
			if same {
				same, unseen = false, append(make([]byte, 0, len(v.Content)), v.Content[:at]...)
			}
			line = line[len(text):]
		}
		if at += len(line); !same {
			unseen = append(unseen, line...)
		}
	}
	if same {
		return v.Content
	}
	return unseen
}

// catchUp reads the versions of a file that are before a place, unless they were read last.
func (h *History) catchUp(tx store.Reader, prefix string, at Place) error {
	if at.path == "" || h.path == at.path && h.from <= at.version {
		return nil
	}
	h.path = ""
	from := storePages{prefix: prefix}.scan(Place{path: at.path, version: math.MaxInt64})
	for page, err := range store.Pages(tx, from) {
		if err != nil {
			return err
		}
		for i := range page.Files {
			f := &page.Files[i]
			if f.Path != at.path || f.Current.Number < at.version {
				return nil
			}
			h.read(f.Path, &f.Current)
		}
	}
	return nil
}
