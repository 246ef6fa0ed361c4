package console

import (
	"github.com/agent-scratchpad/scratchpad/console/internal/linecount"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxCounted = 256 << 10 // bytes of two versions that are compared to count lines
	maxCounts  = 1 << 20   // bytes of versions that a page reads to count lines
)

// textsOf says whose texts were compared.
type textsOf struct {
	service *workspace.Service
	agent   string
}

// countLines sets how many lines the versions of a file have changed. It leaves out what
// would take long: the page has the bytes instead.
func (v *visit) countLines(ws *workspace.Workspace, path string, rows []versionRow) {
	left := int64(maxCounts)
	var text []byte // of the newer version
	have := false   // text was read
	for i := 0; i+1 < len(rows); i++ {
		newer, older := &rows[i], rows[i+1].VersionInfo
		pair := linecount.Pair{Of: textsOf{v.person.Service, ws.Agent()}, Old: older.SHA256, New: newer.SHA256}
		if n, ok := v.h.counts.Find(pair); ok {
			newer.Lines, have = &n, false
			continue
		}
		size := older.Bytes + newer.Bytes
		if size > maxCounted || size > left {
			have = false
			continue
		}
		left -= size
		if !have {
			text, have = v.textOf(ws, path, newer.VersionInfo)
		}
		before, ok := v.textOf(ws, path, older)
		if have && ok {
			if n, ok := v.h.counts.Count(pair, before, text); ok {
				newer.Lines = &n
			} else {
				left = 0 // others are busy
			}
		}
		text, have = before, ok
	}
}

// textOf returns the text of a version, if it is still there.
func (v *visit) textOf(ws *workspace.Workspace, path string, i workspace.VersionInfo) (text []byte, ok bool) {
	r, err := ws.ReadFile(v.r.Context(), path, workspace.ReadOptions{Version: i.Version})
	return r.Content, err == nil && r.SHA256 == i.SHA256
}
