// Package edit makes the text of a file after an edit.
package edit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/nearest"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Replace returns text with old replaced by new and the number of replacements. If old is
// empty, it appends new. limit is that of the new text in bytes. Errors:
// [store.ErrConflict] if old does not occur, or occurs several times; [store.ErrTooLarge].
func Replace(text []byte, old, new string, all bool, limit int64) ([]byte, int64, error) {
	if old == "" {
		if len(text) > 0 && text[len(text)-1] != '\n' {
			new = "\n" + new
		}
		if err := checkEdited(int64(len(text)+len(new)), limit); err != nil {
			return nil, 0, err
		}
		return slices.Concat(text, []byte(new)), 0, nil
	}
	n := bytes.Count(text, []byte(old))
	switch {
	case n == 0:
		return nil, 0, store.Errorf(store.ErrConflict, "%s does not occur%s", store.ArgOld, nearestLine(text, old))
	case n > 1 && !all:
		return nil, 0, fault.Or(store.Errorf(store.ErrConflict, "%s occurs %d times, on lines %s", store.ArgOld, n, nearest.LineNumbers(text, old, 10)), store.DoGiveMoreText, 0)
	}
	if err := checkEdited(int64(len(text))+int64(n)*int64(len(new)-len(old)), limit); err != nil {
		return nil, 0, err
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(new)), int64(n), nil
}

// IsQuick reports whether Replace succeeds, and makes a text of at most limit bytes of
// one that has no more. A refusal takes long if it looks for the nearest line.
func IsQuick(text []byte, old, new string, all bool, limit int) bool {
	n := 1
	if old != "" {
		n = bytes.Count(text, []byte(old))
	}
	return (n == 1 || n > 1 && all) && len(text)+n*len(new) <= limit
}

// checkEdited checks the size of a new version before it is made.
func checkEdited(size, limit int64) error {
	if size > limit {
		return fault.Or(fault.TooLarge(store.FileSize, size, limit, "%d bytes after the edit, limit %d", size, limit), store.DoSplitFile, 0)
	}
	return nil
}

// nearestLine says which line the caller may have meant.
func nearestLine(text []byte, old string) string {
	number, line := nearest.Line(text, old)
	if number == 0 {
		return "; read the file to see its text"
	}
	return fmt.Sprintf("; the nearest is line %d: %s", number, names.Quote(line))
}
