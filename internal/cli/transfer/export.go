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
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ExportOptions of [Export]. The zero value exports the current files and the logs.
type ExportOptions struct {
	Versions bool                    // export all versions that are kept, also those of deleted files
	Database string                  // the id of the installation, for the manifest; "": it has none
	Now      func() time.Time        // nil: time.Now
	Progress func(done, total int64) // is called after each file and log; nil: is not
}

// Exported counts what an export holds.
type Exported struct {
	Files    int64 `json:"files"`
	Deleted  int64 `json:"deleted_files,omitempty"` // deleted files that can be restored
	Versions int64 `json:"versions"`                // of the files, with the current ones
	Logs     int64 `json:"logs"`
	Entries  int64 `json:"entries"`
	Bytes    int64 `json:"bytes"` // of content
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
	if o.Progress == nil {
		o.Progress = func(done, total int64) {}
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
	err = e.run()
	return e.sum, err
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
}

func (e *exporter) run() error {
	files, err := e.files()
	if err != nil {
		return err
	}
	logs, err := e.logs()
	if err != nil {
		return err
	}
	err = e.write(unfinished, func(out io.Writer) error {
		head := header{Database: e.o.Database, Agent: e.ws.Agent(), Time: e.o.Now().UTC().Truncate(time.Microsecond)}
		if e.out, err = newManifestWriter(out, head); err != nil {
			return err
		}
		e.out.begin("files")
		var paths []string
		for _, f := range files {
			paths = append(paths, f.Path)
		}
		names := escapeAll(paths)
		total := int64(len(files) + len(logs))
		for i, f := range files {
			if err := e.file(f, names[f.Path]); err != nil {
				return err
			}
			e.o.Progress(int64(i+1), total)
		}
		e.out.begin("logs")
		names = escapeAll(logs)
		for i, path := range logs {
			if err := e.log(path[:len(path)-len(logEnd)], names[path]); err != nil {
				return err
			}
			e.o.Progress(int64(len(files)+i+1), total)
		}
		return e.out.end()
	})
	if err != nil {
		return err
	}
	return e.finish()
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

// files returns the files, and the deleted ones that can be restored if older versions are
// exported.
func (e *exporter) files() (all []workspace.FileInfo, err error) {
	for o := (workspace.ListOptions{}); ; {
		page, err := e.ws.ListFiles(e.ctx, o)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Files...)
		if o.After = page.Next; page.More {
			continue
		}
		if o.Deleted || !e.o.Versions {
			break
		}
		o.Deleted = true
	}
	slices.SortStableFunc(all, func(a, b workspace.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(all, func(a, b workspace.FileInfo) bool { return a.Path == b.Path }), nil
}

// logs returns the paths of the logs with their ends.
func (e *exporter) logs() (paths []string, err error) {
	for o := (workspace.ListOptions{}); ; {
		page, err := e.ws.ListLogs(e.ctx, o)
		if err != nil {
			return nil, err
		}
		for _, l := range page.Logs {
			if l.Entries() > 0 { // else all were removed
				paths = append(paths, l.Path+logEnd)
			}
		}
		if o.After = page.Next; !page.More {
			return paths, nil
		}
	}
}

// file exports a file: the current version, and then the older ones down to the first
// that is not kept any more. So all are of one history, whatever is written meanwhile. If the
// file is deleted, there is no current version.
func (e *exporter) file(f workspace.FileInfo, name string) error {
	var records []fileRecord // the newest version first
	below, gone := int64(math.MaxInt64), !f.Expires.IsZero()
	if !gone {
		r, err := e.ws.ReadFile(e.ctx, f.Path, workspace.ReadOptions{})
		var d *workspace.Deletion
		if e.o.Versions && errors.As(err, &d) { // since it was listed
			f.Updated, f.Expires, f.Deleter = d.Time, d.Until, d.Deleter
			return e.file(f, name)
		}
		if errors.Is(err, workspace.ErrNotFound) {
			return nil // it was moved or deleted meanwhile
		}
		if err != nil {
			return err
		}
		v := workspace.VersionInfo{Version: r.Version, Bytes: r.Bytes, SHA256: r.SHA256, Author: r.Author, Time: r.Time,
			Project: r.Project}
		current, err := e.version(f.Path, filesDir+name, v, r.Content)
		if err != nil {
			return err
		}
		records, below = append(records, current), r.Version
		e.sum.Files++
	}
	older, err := e.older(f.Path, name, below)
	if err != nil {
		return err
	}
	if records = append(records, older...); gone && len(records) > 0 {
		records[0].Deleted = &deletion{Time: f.Updated, Until: f.Expires, Author: authorOf(f.Deleter)}
		e.sum.Deleted++
	}
	for _, r := range slices.Backward(records) {
		if err := e.out.add(r); err != nil {
			return err
		}
	}
	return nil
}

// older exports the kept versions below a number, the newest first.
func (e *exporter) older(path, name string, below int64) (records []fileRecord, err error) {
	if !e.o.Versions {
		return nil, nil
	}
	versions, err := e.ws.History(e.ctx, path)
	for _, v := range slices.Backward(versions) {
		if v.Version >= below {
			continue
		}
		var old workspace.ReadResult
		if v.Redacted == nil {
			old, err = e.ws.ReadFile(e.ctx, path, workspace.ReadOptions{Version: v.Version})
		}
		if err != nil {
			break
		}
		r, err := e.version(path, versionsDir+name+versionMark+fmt.Sprint(v.Version), v, old.Content)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	if err != nil && !errors.Is(err, workspace.ErrNotFound) { // else it is not kept any more
		return nil, err
	}
	return records, nil
}

// version writes a version, and returns its record. Of a redacted version there is an empty file,
// and the receipt in the record.
func (e *exporter) version(path, to string, v workspace.VersionInfo, content []byte) (fileRecord, error) {
	if v.Redacted != nil {
		v.SHA256 = sha256.Sum256(nil) // of the file
	}
	r := fileRecord{Path: path, Version: v.Version, Name: to, Bytes: v.Bytes, SHA256: hex.EncodeToString(v.SHA256[:]),
		Time: v.Time.UTC(), Author: authorOf(v.Author), Project: v.Project, Redacted: redactionOf(v.Redacted)}
	e.sum.Versions++
	e.sum.Bytes += v.Bytes
	return r, e.write(to, func(out io.Writer) error { _, err := out.Write(content); return err })
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
				e.sum.Bytes += int64(len(entry.Content))
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
	})
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

// write makes a new file with its folders, and waits until it is on the disk.
func (e *exporter) write(name string, fill func(io.Writer) error) error {
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
	return errors.Join(err, file.Close())
}
