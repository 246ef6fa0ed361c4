package transfer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ExportOptions of [Export]. The zero value exports the current files and the logs.
type ExportOptions struct {
	Versions bool                    // export all versions that are kept, also those of deleted files
	Database string                  // the id of the installation, for the manifest; "": it has none
	Now      func() time.Time        // nil: time.Now
	Progress func(done, total int64) // called with bytes after each file and each page of a log; nil: not called
}

// Exported counts what an export holds.
type Exported struct {
	Files    int64
	Deleted  int64 // deleted files that can be restored
	Versions int64 // of the files, with the current ones
	Logs     int64
	Entries  int64
	Bytes    int64 // of content
}

// Export writes the files of an agent, and its logs that have entries, into a folder. The
// folder must be empty or absent. Export reads one file or one page of a log at a time, so
// writes of others meanwhile may be in the export or not. The manifest gets its name last,
// when everything is safely on the disk. Until then, [Import] refuses the folder. After an
// error, the files that were written stay; export again into another folder.
//
// Errors: [workspace.ErrConflict] if the folder is not empty, and those of the workspace
// and of the file system.
func Export(ctx context.Context, ws *workspace.Workspace, dir string, o ExportOptions) (Exported, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Exported{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Exported{}, err
	}
	defer root.Close()
	if err := checkEmpty(root, dir); err != nil {
		return Exported{}, err
	}
	e := &exporter{ctx: ctx, ws: ws, o: o, root: root, folders: map[string]bool{".": true}}
	if err := e.run(); err != nil {
		return e.sum, err
	}
	return e.sum, nil
}

// IsHalf reports whether a folder holds an export that was interrupted.
func IsHalf(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, unfinished))
	return err == nil
}

func checkEmpty(root *os.Root, dir string) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if names, err := d.Readdirnames(1); len(names) == 0 && (err == nil || err == io.EOF) {
		return nil
	} else if err != nil {
		return err
	}
	way := "it is not empty; give a new or an empty folder"
	if IsHalf(dir) {
		way = "it holds an export that was interrupted; give a new folder, and remove this one"
	}
	e := workspace.Errorf(workspace.ErrConflict, "%s", way)
	e.Op, e.Object = "export to", dir
	return e
}

type exporter struct {
	ctx     context.Context
	ws      *workspace.Workspace
	o       ExportOptions
	root    *os.Root
	folders map[string]bool // that were made
	out     *manifestWriter
	sum     Exported
	total   int64 // bytes to export, about
}

func (e *exporter) run() error {
	files, logs, err := e.list()
	if err != nil {
		return err
	}
	gone, err := e.deleted()
	if err != nil {
		return err
	}
	return e.write(unfinished, func(out io.Writer) error {
		head := header{Database: e.o.Database, Agent: e.ws.Agent(), Time: e.o.Now().UTC().Truncate(time.Microsecond)}
		if e.out, err = newManifestWriter(out, head); err != nil {
			return err
		}
		e.out.begin("files")
		paths := slices.Clone(files)
		for _, f := range gone {
			paths = append(paths, f.Path)
		}
		names := escapeAll(paths)
		for _, path := range files {
			if err := e.file(path, names[path], nil); err != nil {
				return err
			}
		}
		if len(gone) > 0 { // else older programs can read the manifest
			e.out.begin("deleted")
		}
		for _, f := range gone {
			d := &deletion{Time: f.Updated, Until: f.Expires, Author: authorOf(f.Deleter)}
			if err := e.file(f.Path, names[f.Path], d); err != nil {
				return err
			}
		}
		e.out.begin("logs")
		names = escapeAll(logs)
		for _, path := range logs {
			if err := e.log(path[:len(path)-len(logEnd)], names[path]); err != nil {
				return err
			}
		}
		return e.out.end()
	}, e.finish)
}

// finish gives the manifest its name. All folders are on the disk before and after.
func (e *exporter) finish() error {
	folders := make([]string, 0, len(e.folders))
	for dir := range e.folders {
		folders = append(folders, dir)
	}
	slices.Sort(folders)
	for _, dir := range folders {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if err := syncFolder(e.root, dir); err != nil {
			return err
		}
	}
	if err := e.root.Rename(unfinished, manifestName); err != nil {
		return err
	}
	return syncFolder(e.root, ".")
}

// list returns the paths of the files, and those of the logs with their ends.
func (e *exporter) list() (files, logs []string, err error) {
	for o := (workspace.ListOptions{}); ; {
		page, err := e.ws.ListFiles(e.ctx, o)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range page.Files {
			files = append(files, f.Path)
			if e.total += f.Bytes; e.o.Versions {
				e.total += f.Kept - f.Bytes
			}
		}
		if o.After = page.Next; !page.More {
			break
		}
	}
	for o := (workspace.ListOptions{}); ; {
		page, err := e.ws.ListLogs(e.ctx, o)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range page.Logs {
			if l.Entries > 0 { // else all were removed
				logs = append(logs, l.Path+logEnd)
				e.total += l.Bytes
			}
		}
		if o.After = page.Next; !page.More {
			return files, logs, nil
		}
	}
}

// deleted returns the deleted files that can be restored, if older versions are exported.
func (e *exporter) deleted() (all []workspace.FileInfo, err error) {
	for o := (workspace.ListOptions{Deleted: true}); e.o.Versions; {
		page, err := e.ws.ListFiles(e.ctx, o)
		if err != nil {
			return nil, err
		}
		for _, f := range page.Files {
			e.total += f.Kept
		}
		all = append(all, page.Files...)
		if o.After = page.Next; !page.More {
			break
		}
	}
	return all, nil
}

// older returns the numbers of the kept versions below a number, the newest first.
func (e *exporter) older(path string, than int64) (numbers []int64, err error) {
	versions, err := e.ws.History(e.ctx, path)
	if errors.Is(err, workspace.ErrNotFound) {
		return nil, nil // it was deleted meanwhile
	}
	for _, v := range slices.Backward(versions) {
		if v.Version < than {
			numbers = append(numbers, v.Version)
		}
	}
	return numbers, err
}

// file exports a file: the current version, and then the older ones down to the first
// that is not kept any more. So all are of one history, whatever is written meanwhile. If the
// file is deleted, there is no current version.
// Of a redacted version there is an empty file, and the receipt in the manifest.
func (e *exporter) file(path, name string, gone *deletion) (err error) {
	var records []fileRecord
	numbers := []int64{0}
	if gone != nil {
		if numbers, err = e.older(path, math.MaxInt64); err != nil {
			return err
		}
	}
	for i := 0; i < len(numbers); i++ {
		number := numbers[i]
		r, redacted, err := e.read(path, number)
		if errors.Is(err, workspace.ErrNotFound) {
			break
		}
		if err != nil {
			return err
		}
		to := filesDir + name
		if number > 0 {
			to = versionsDir + name + versionMark + fmt.Sprint(r.Version)
		}
		if err := e.write(to, func(out io.Writer) error { _, err := out.Write(r.Content); return err },
			nil); err != nil {
			return err
		}
		records = append(records, fileRecord{Path: path, Version: r.Version, Name: to, Bytes: r.Bytes,
			SHA256: hex.EncodeToString(r.SHA256[:]), Time: r.Time.UTC(), Author: authorOf(r.Author),
			Project: r.Project, Redacted: redacted, Deleted: gone})
		e.sum.Versions++
		e.did(r.Bytes)
		if number == 0 && e.o.Versions {
			older, err := e.older(path, r.Version)
			if err != nil {
				return err
			}
			numbers = append(numbers, older...)
		}
		if gone != nil && i == 0 {
			e.sum.Deleted++
		} else if i == 0 {
			e.sum.Files++
		}
		gone = nil // the last version alone has it
	}
	for _, r := range slices.Backward(records) {
		if err := e.out.add(r); err != nil {
			return err
		}
	}
	return nil
}

// read reads a version, the current one if number is 0. One that is redacted is read as an
// empty one, with its receipt.
func (e *exporter) read(path string, number int64) (workspace.ReadResult, *redaction, error) {
	r, err := e.ws.ReadFile(e.ctx, path, workspace.ReadOptions{Version: number})
	if number == 0 || !errors.Is(err, workspace.ErrNotFound) {
		return r, nil, err
	}
	versions, failed := e.ws.History(e.ctx, path)
	i := slices.IndexFunc(versions, func(v workspace.VersionInfo) bool { return v.Version == number })
	if failed != nil || i < 0 || versions[i].Redacted == nil {
		return r, nil, err
	}
	v := versions[i]
	return workspace.ReadResult{Path: path, Version: number, SHA256: sha256.Sum256(nil), Author: v.Author,
			Time: v.Time, Project: v.Project},
		&redaction{Time: v.Redacted.Time, Author: authorOf(v.Redacted.Author)}, nil
}

// log exports a log, page by page.
func (e *exporter) log(path, name string) error {
	record := logRecord{Path: path, Name: logsDir + name}
	sum := sha256.New()
	err := e.write(record.Name, func(out io.Writer) error {
		out = io.MultiWriter(out, sum)
		var lines bytes.Buffer
		for o := (workspace.ReadLogOptions{}); ; {
			page, err := e.ws.ReadLog(e.ctx, path, o)
			if err != nil {
				return err
			}
			if page.Removed > 0 && o.Since > 0 {
				e := workspace.Errorf(workspace.ErrConflict, "entries were removed while it was exported; export again")
				e.Op, e.Object = "export log", path
				return e
			}
			lines.Reset()
			for _, entry := range page.Entries {
				if err := appendEntry(&lines, entry); err != nil {
					return err
				}
				record.Entries, record.Last = record.Entries+1, entry.ID
				e.did(int64(len(entry.Content)))
			}
			n, err := out.Write(lines.Bytes())
			if err != nil {
				return err
			}
			record.Bytes += int64(n)
			if o.Since = page.Last; !page.More {
				return nil
			}
		}
	}, nil)
	if err != nil {
		return err
	}
	if record.Entries == 0 { // all were removed meanwhile
		return e.root.Remove(record.Name)
	}
	record.SHA256 = hex.EncodeToString(sum.Sum(nil))
	e.sum.Logs++
	e.sum.Entries += record.Entries
	return e.out.add(record)
}

func (e *exporter) did(bytes int64) {
	e.sum.Bytes += bytes
	if e.o.Progress != nil {
		e.o.Progress(e.sum.Bytes, max(e.total, e.sum.Bytes))
	}
}

// write makes a new file with its folders, and waits until it is on the disk. Then it
// calls finish, unless that is nil.
func (e *exporter) write(name string, fill func(io.Writer) error, finish func() error) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	for dir := path.Dir(name); !e.folders[dir]; dir = path.Dir(dir) {
		if err := e.root.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		e.folders[dir] = true
	}
	file, err := e.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 64<<10)
	if err = fill(out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil || finish == nil {
		return err
	}
	return finish()
}
