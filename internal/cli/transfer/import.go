package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ImportOptions of [Import]. The zero value imports.
type ImportOptions struct {
	DryRun   bool                    // only report what would change; limits are not checked
	All      bool                    // import hidden names too, and what programs make for themselves
	Paths    workspace.PathRule      // which paths the workspace allows
	Words    store.Words             // words the reasons why names are left out
	Now      func() time.Time        // nil: time.Now
	Progress func(done, total int64) // is called before each file and log; nil: is not
}

// Imported says what an import changed, or with DryRun would change.
type Imported struct {
	Export  bool      `json:"export"`                  // the folder is an export; else it is a folder of other files
	Changes []Change  `json:"changes"`                 // in the order in which they were made
	Same    int64     `json:"same"`                    // files and logs that were there already
	LeftOut []LeftOut `json:"left_out"`                // names that cannot be imported; at most 1,000
	Omitted int64     `json:"left_out_more,omitempty"` // how many more names cannot be imported
	Skipped []string  `json:"skipped,omitempty"`       // names that only ImportOptions.All imports; at most 1,000
	Passed  int64     `json:"skipped_more,omitempty"`  // how many more names were skipped
	Kept    []string  `json:"kept,omitempty"`          // by ImportFrom: what others wrote, moved or deleted stays
}

// A Change is a file or a log that an import changed.
type Change struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"`               // file, log, deleted file: one that can be restored
	New      bool   `json:"new"`                // there was no such file or log before
	Version  int64  `json:"version,omitempty"`  // of a file: its version now; with DryRun 0
	Versions int64  `json:"versions,omitempty"` // of a file: versions that were added
	Entries  int64  `json:"entries,omitempty"`  // of a log: entries that were added
}

// LeftOut is a name in the folder that cannot be imported.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

const maxLeftOut = 1000

// Import reads a folder into the files and logs of an agent. If the folder is an export,
// it imports what manifest.json lists, and what else is in the folder files. Otherwise it
// imports each file of the folder under its relative name.
//
// A file with the same bytes is left alone. Another file becomes a new version. If the
// path never was a file of the agent, all versions in the export are restored, with their
// numbers, authors and times. So is a deleted file, as one that is deleted, if its time has not
// ended. A file that was changed in the folder becomes a new version,
// by the workspace's author, and its older versions are not restored.
//
// Of a log the missing entries are appended, with their authors and times. An entry is
// missing if the log has no other one with the same text, author and time.
//
// What cannot be stored, because it is no text or is beyond a limit, is left out with the
// reason, and the rest is imported. Names that begin with a dot and what programs make for
// themselves, such as node_modules, are skipped, unless the export lists them.
//
// Import can be run again after any error, and with higher limits. It then imports what is
// not there yet. The result is valid also when there is an error.
//
// Errors: [workspace.ErrInvalid] for a manifest that is wrong, [workspace.ErrConflict] for
// an export that was interrupted, and those of the workspace.
func Import(ctx context.Context, ws *workspace.Workspace, dir string, o ImportOptions) (Imported, error) {
	if info, err := os.Stat(dir); err != nil {
		return Imported{}, err
	} else if !info.IsDir() { // the opening of a pipe would wait for a writer
		return Imported{}, fmt.Errorf("import %s: it is not a folder; give the folder that it is in: %w", dir,
			workspace.ErrInvalid)
	}
	return importIn(ctx, ws, dir, o, func(im *importer) error { return im.run(dir) })
}

// importIn calls fn with an importer for a folder.
func importIn(ctx context.Context, ws *workspace.Workspace, dir string, o ImportOptions, fn func(*importer) error) (
	Imported, error,
) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Imported{}, err
	}
	defer root.Close()
	usage, err := ws.Usage(ctx)
	if err != nil {
		return Imported{}, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Words.NoKind = true
	im := &importer{ctx: ctx, ws: ws, o: o, folder: folder{root}, limits: usage.Limits, names: map[string]string{},
		result: Imported{Changes: []Change{}, LeftOut: []LeftOut{}}}
	err = fn(im)
	return im.result, err
}

type importer struct {
	ctx    context.Context
	ws     *workspace.Workspace
	o      ImportOptions
	folder folder
	limits workspace.Limits
	names  map[string]string // of the paths so far; with end and a slash before them
	result Imported
	source Source // zero: none
	done   int64  // files and logs that were begun
	total  int64  // files and logs that were found

	exported time.Time // when the export began; zero if the folder is none
}

func (im *importer) run(dir string) error {
	if _, err := im.folder.root.Lstat(unfinished); err == nil {
		e := workspace.Errorf(workspace.ErrConflict,
			"the export was interrupted, and is not whole; export again into another folder")
		e.Op, e.Object = "import", dir
		return e
	}
	if _, err := im.folder.root.Lstat(manifestName); errors.Is(err, fs.ErrNotExist) {
		return im.plain()
	}
	m, err := im.manifest()
	if err != nil {
		return err
	}
	im.result.Export = true
	im.total = int64(len(m.files) + len(m.logs))
	for _, versions := range m.files {
		last := versions[len(versions)-1]
		if err := im.each(last.Name, last.Path, "",
			func(path string) error {
				if last.Deleted != nil {
					return im.deleted(path, versions)
				}
				return im.file(path, versions)
			}); err != nil {
			return err
		}
	}
	for _, l := range m.logs {
		if err := im.each(l.Name, l.Path, logEnd,
			func(path string) error { l.Path = path; return im.log(l) }); err != nil {
			return err
		}
	}
	return im.added(m)
}

// manifest reads the manifest. Nothing has been changed yet.
func (im *importer) manifest() (*manifest, error) {
	file, _, err := im.folder.open(manifestName)
	if err != nil {
		if reason, is := cause(err); is {
			err = badManifest("%s", reason)
		}
		return nil, err
	}
	defer file.Close()
	m, err := readManifest(file)
	if err != nil {
		return nil, err
	}
	const skew = 5 * time.Minute
	if m.Time.After(im.o.Now().Add(skew)) {
		return nil, badManifest("the export is of %s, which is in the future; set the clock of this machine",
			m.Time.Format(time.RFC3339))
	}
	im.exported = m.Time
	return m, nil
}

// each imports one path, which fn gets as the workspace keeps it. What is wrong with the
// path or its content is listed. So is a name that stands for a path which another name
// had before, because one of the two would overwrite the other. end tells logs from files.
func (im *importer) each(name, path, end string, fn func(path string) error) error {
	if err := im.ctx.Err(); err != nil {
		return err
	}
	if im.o.Progress != nil {
		im.o.Progress(im.done, im.total)
	}
	im.done++
	p, err := im.o.Paths.Parse(path)
	if err != nil {
		return im.unless(name, err)
	}
	key := end + "/" + p.String()
	if other, twice := im.names[key]; twice {
		im.leaveOut(name, strings.ToValidUTF8(other, "\uFFFD")+" stands for the same path; rename this one")
		return nil
	}
	im.names[key] = name
	return im.unless(name, fn(p.String()))
}

// unless leaves a name out if the error is a reason for that. It returns other errors.
func (im *importer) unless(name string, err error) error {
	if reason, is := im.reason(err); is {
		im.leaveOut(name, reason)
		return nil
	}
	return named(name, err)
}

// reason returns why a name is left out, and whether the error is such a reason. A store
// that takes no other agent takes no other name either, so that is none.
func (im *importer) reason(err error) (string, bool) {
	if reason, is := cause(err); is {
		return reason, true
	}
	switch workspace.Kind(err) {
	case workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota:
	default:
		return "", false
	}
	var e *workspace.Error
	if !errors.As(err, &e) {
		return err.Error(), true
	}
	bare := *e
	bare.Op, bare.Object, bare.Arg = "", "", 0
	return bare.Text(im.o.Words), e.Quota == nil || e.Quota.Of != store.StoreAgents
}

// named gives an error of a limit the name of the file in the folder.
func named(name string, err error) error {
	e, ok := err.(*workspace.Error)
	if !ok || e.Op != "" {
		return err
	}
	of := *e
	of.Op, of.Object = "import", name
	return &of
}

func (im *importer) leaveOut(name, reason string) {
	if len(im.result.LeftOut) < maxLeftOut {
		im.result.LeftOut = append(im.result.LeftOut, LeftOut{strings.ToValidUTF8(name, "\uFFFD"), reason})
	} else {
		im.result.Omitted++
	}
}

// change notes a change, which write makes. In a dry run it is not made, and has no number.
func (im *importer) change(c Change, write func() (workspace.WriteResult, error)) error {
	if !im.o.DryRun {
		r, err := write()
		if err != nil {
			return err
		}
		c.Version = r.Version
	}
	im.result.Changes = append(im.result.Changes, c)
	return nil
}

// tries is how often an import looks again at a path that somebody else keeps changing.
const tries = 20

// again calls fn until it does not meet a change that somebody else made meanwhile.
func (im *importer) again(fn func() error) error {
	for range tries {
		if err := fn(); !errors.Is(err, workspace.ErrConflict) {
			return err
		}
	}
	return errKind{"others keep changing it; import again"}
}
