package workspace

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VersionInfo is a retained version in a history. Bytes and SHA256 are zero for a version
// that is redacted.
type VersionInfo struct {
	Version  int64
	Bytes    int64
	SHA256   [sha256.Size]byte
	Author   Author
	Time     time.Time
	Redacted *Redaction // when the content was removed, and by whom; nil: it is there
}

func infoOf(v Version) VersionInfo {
	return VersionInfo{Version: v.Number, Bytes: v.Size, SHA256: v.SHA256, Author: v.Author, Time: v.Time,
		Redacted: v.Redacted}
}

// History returns the retained versions of a file, the oldest first.
// Errors: [ErrNotFound].
func (w *Workspace) History(ctx context.Context, path string) ([]VersionInfo, error) {
	const op = "history of"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return nil, err
	}
	l, err := w.load(ctx, store.Query{File: p.name, History: true})
	if err == nil && !l.File.Exists() {
		err = errNoFile
	}
	if w.counted(err) != nil {
		return nil, within(op, path, w.withNearest(ctx, p, err))
	}
	head, versions := l.File, l.Versions
	infos := make([]VersionInfo, len(versions))
	damaged := len(versions) != len(head.Sizes)
	for i, v := range versions {
		damaged = damaged || v.Number != head.Oldest()+int64(i) || v.Size != head.Sizes[i]
		infos[i] = infoOf(v)
	}
	if damaged {
		return nil, fail(ErrCorrupt, op, path, "the versions that are stored are not %d to %d with the sizes that "+
			"they had", head.Oldest(), head.Version)
	}
	return infos, nil
}
