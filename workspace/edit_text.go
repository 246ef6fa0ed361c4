package workspace

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// replaceText returns text with old replaced by new and the number of replacements. If old is
// empty, it appends new. limit is that of the new text in bytes. Errors:
// [ErrConflict] if old does not occur, or occurs several times; [ErrTooLarge].
func replaceText(text []byte, old, new string, all bool, limit int64) ([]byte, int64, error) {
	if old == "" {
		if len(text) > 0 && text[len(text)-1] != '\n' {
			new = "\n" + new
		}
		if err := checkEditedSize(int64(len(text)+len(new)), limit); err != nil {
			return nil, 0, err
		}
		return slices.Concat(text, []byte(new)), 0, nil
	}
	n := bytes.Count(text, []byte(old))
	switch {
	case n == 0:
		return nil, 0, Errorf(ErrConflict, "%s does not occur%s", store.ArgOld, orNearestLine(text, old))
	case n > 1 && !all:
		return nil, 0, or(Errorf(ErrConflict, "%s occurs %d times, on lines %s", store.ArgOld, n,
			lineNumbers(text, old, 10)), store.DoGiveMoreText, 0)
	}
	if err := checkEditedSize(int64(len(text))+int64(n)*int64(len(new)-len(old)), limit); err != nil {
		return nil, 0, err
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(new)), int64(n), nil
}

// checkEditedSize checks the size of a new version before it is made.
func checkEditedSize(size, limit int64) error {
	if size > limit {
		return or(fault.TooLarge(store.FileBytes, size, limit, "%d bytes after the edit, limit %d", size, limit),
			store.DoSplitFile, 0)
	}
	return nil
}

// orNearestLine says which line the caller may have meant.
func orNearestLine(text []byte, old string) string {
	number, line := nearestLine(text, old)
	if number == 0 {
		return "; read the file to see its text"
	}
	return fmt.Sprintf("; the nearest is line %d: %s", number, names.Quote(line))
}
