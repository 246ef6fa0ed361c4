package workspace

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VersionInfo is a retained version of a file, without its content. Bytes and SHA256 are zero
// for a redacted version.
type VersionInfo struct {
	Version  int64
	Bytes    int64
	SHA256   [sha256.Size]byte
	Author   Author
	Time     time.Time
	Created  time.Time  // of the file that the version belongs to, which may be one that was deleted
	Project  string     // the project that wrote the version, see [Workspace.From]; "": none
	Redacted *Redaction // when the content was removed, and by whom; nil: the version has its content
}

func infoOf(h FileHead, v Version) VersionInfo {
	return VersionInfo{Version: v.Number, Bytes: v.Size, SHA256: v.SHA256, Author: v.Author, Time: v.Time,
		Created: h.CreatedOf(v.Number), Project: v.Project, Redacted: v.Redacted}
}

// History returns the retained versions of a file, or of a deleted file that can be restored, the
// oldest first. Errors: [ErrNotFound] if there is no such file.
func (w *Workspace) History(ctx context.Context, path string) ([]VersionInfo, error) {
	p, err := w.start(ctx, path)
	var l store.Loaded
	if err == nil {
		l, err = w.load(ctx, store.Query{File: p.name, History: true})
	}
	head := l.File
	if err == nil && !readable(head, w.svc.o.Now()) {
		err = errNoFile
	}
	numbers := head.Numbers()
	infos := make([]VersionInfo, len(l.Versions))
	damaged := len(l.Versions) != len(numbers)
	for i, v := range l.Versions {
		damaged = damaged || v.Number != numbers[i] || v.Size != head.Sizes[i]
		infos[i] = infoOf(head, v)
	}
	if w.counted(err) == nil && damaged {
		err = Errorf(ErrCorrupt, "the versions that are stored are not %d with the sizes that they had", numbers)
	}
	if err != nil {
		return nil, within("history of", path, w.withNearest(ctx, p.name, err))
	}
	return infos, nil
}
