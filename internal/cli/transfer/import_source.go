package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ImportFrom reads the memory of another program into the files of an agent, below the
// program's name. It writes nothing there. A file keeps its time, and its author is the program.
// A name that is no path gets one that is like it.
//
// ImportFrom can be run again. It then imports what is new or has changed there. What others
// have written, moved or deleted since among the agent's files stays, and is in Imported.Kept.
// A path that came from another folder of such a program is left out.
//
// Errors: [workspace.ErrNotFound] if there is no memory, and those of the workspace.
func ImportFrom(ctx context.Context, ws *workspace.Workspace, s Source, p Place, o ImportOptions) (Imported, error) {
	o.All = false
	origin := sha256.Sum256([]byte(cmp.Or(p.origin, p.Path())))
	ws = ws.As(workspace.Author{Client: s.Name, Version: fmt.Sprintf("%s%x", importMark, origin[:4])})
	return importIn(ctx, ws, p.Folder, o, func(im *importer) (err error) {
		im.source = s
		var all []found
		info, err := im.folder.lstat(p.In)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return s.notFound(p.Path())
		case err == nil && s.graph != "":
			all, err = im.graph(p.In, im.past(info.ModTime()))
		case err == nil:
			if err = check(info, fs.ModeDir); err == nil {
				all, err = im.notes(p.In)
			}
		}
		if reason, is := cause(err); is {
			im.leaveOut(p.In, reason)
		} else if err != nil {
			return named(p.In, err)
		}
		im.place(all)
		return im.found(all)
	})
}

// importMark begins the version of an author that is a source. A hash of the place follows.
const importMark = "import-"

// holds reports whether a name may hold memory of the source.
func (s Source) holds(name string, isFolder bool) bool {
	switch {
	case s.Name == "":
		return true
	case s.only != nil:
		return !isFolder && slices.Contains(s.only, name)
	}
	return isFolder || strings.EqualFold(path.Ext(name), ".md")
}

// keeps reports whether a path stays as it is, because others than this source have written
// it or have removed it, and notes that.
func (im *importer) keeps(path string, by workspace.Author, isNew bool) (bool, error) {
	me := im.ws.Author()
	switch {
	case im.source.Name == "" || !isNew && by == me:
		return false, nil
	case isNew:
		if was, err := im.wasFile(path); !was || err != nil {
			return false, err
		}
	case by.Client == me.Client && strings.HasPrefix(by.Version, importMark):
		return true, errKind{path + " was imported from another folder; bring this one with scratchpad files write"}
	}
	im.result.Kept = append(im.result.Kept, path)
	return true, nil
}

// notes finds the files of a source.
func (im *importer) notes(dir string) ([]found, error) {
	return im.list(dir, &walk{left: maxNames, skip: im.skips}, func(name string) (string, error) {
		return strings.TrimPrefix(name, dir+"/"), nil
	})
}

// past returns a time as a version can have it: since 1970, and not in the future.
func (im *importer) past(at time.Time) time.Time {
	return time.UnixMicro(min(max(at.UnixMicro(), 0), im.o.Now().UnixMicro()))
}

// place makes the paths of what was found: below the name of the source, and each another.
// A name that is no path gets one that is like it, and ends in a hash of the name.
func (im *importer) place(all []found) {
	odd := regexp.MustCompile(`[^a-zA-Z0-9/._]+|\.\.+`) // what is in no path by any rule
	for i := range all {
		f := &all[i]
		to := im.source.Name + "/" + f.path
		if _, err := im.o.Paths.Parse(to); err != nil {
			like := odd.ReplaceAllString(strings.TrimSuffix(to, path.Ext(to)), "-")
			hash := sha256.Sum256([]byte(f.path))
			to = fmt.Sprintf("%s-%x.md", strings.TrimRight(like[:min(len(like), maxName)], "-"), hash[:4])
		}
		f.path = to
	}
}
