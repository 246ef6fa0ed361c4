package transfer

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	manifestName = "manifest.json"
	unfinished   = "manifest.json.unfinished" // what the manifest is called until everything is on the disk
	format       = "scratchpad export 1"

	filesDir, logsDir, versionsDir = "files/", "logs/", "versions/"
	logEnd, versionMark            = ".jsonl", "/%v"
)

// header begins a manifest.
type header struct {
	Format   string    `json:"format"`
	Database string    `json:"database,omitempty"` // the id of the installation; "": it has none
	Agent    string    `json:"agent"`
	Time     time.Time `json:"time"` // when the export began
}

// fileRecord is a version of a file in a manifest. The versions of a path stand together,
// the oldest first. The last one is current, unless the file is deleted.
type fileRecord struct {
	Path    string    `json:"path"`
	Version int64     `json:"version"`
	Name    string    `json:"name"`
	Bytes   int64     `json:"bytes"`
	SHA256  string    `json:"sha256"`
	Time    time.Time `json:"time"`
	Author  *author   `json:"author,omitempty"`
	Project string    `json:"project,omitempty"` // that it was written from

	Redacted *redaction `json:"redacted,omitempty"` // the content was removed, and the file is empty
	Deleted  *deletion  `json:"deleted,omitempty"`  // in the last record of a deleted file
}

// deletion is [workspace.Deletion] in JSON.
type deletion struct {
	Time   time.Time `json:"time"`
	Until  time.Time `json:"until"`
	Author *author   `json:"author,omitempty"`
}

// redaction is [workspace.Redaction] in JSON.
type redaction struct {
	Time   time.Time `json:"time"`
	Author *author   `json:"author,omitempty"`
}

func redactionOf(r *workspace.Redaction) *redaction {
	if r == nil {
		return nil
	}
	return &redaction{Time: r.Time, Author: authorOf(r.Author)}
}

// logRecord is a log in a manifest.
type logRecord struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Entries int64  `json:"entries"`
	Last    int64  `json:"last"` // the number of the last entry
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"` // of the file
}

// author is [workspace.Author] in JSON.
type author struct {
	Client  string `json:"client,omitempty"`
	Version string `json:"version,omitempty"`
	Key     string `json:"key,omitempty"`
}

func authorOf(a workspace.Author) *author {
	if a == (workspace.Author{}) {
		return nil
	}
	return &author{a.Client, a.Version, a.Key}
}

func (a *author) author() workspace.Author {
	if a == nil {
		return workspace.Author{}
	}
	return workspace.Author{Client: a.Client, Version: a.Version, Key: a.Key}
}

// manifestWriter writes a manifest with a line for each record.
type manifestWriter struct {
	out   *bufio.Writer
	lines int    // in the list that is open
	list  string // "files", "logs"; "" before the first
}

func newManifestWriter(out io.Writer, h header) (*manifestWriter, error) {
	w := &manifestWriter{out: bufio.NewWriter(out)}
	h.Format = format
	line, err := json.Marshal(h)
	if err == nil {
		_, err = w.out.Write(line[:len(line)-1])
	}
	return w, err
}

// begin begins a list, and ends the one before.
func (w *manifestWriter) begin(list string) {
	if w.list != "" {
		w.out.WriteString("\n]")
	}
	fmt.Fprintf(w.out, ",\n%q:[", list)
	w.list, w.lines = list, 0
}

func (w *manifestWriter) add(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if w.lines++; w.lines > 1 {
		w.out.WriteByte(',')
	}
	w.out.WriteByte('\n')
	_, err = w.out.Write(line)
	return err
}

func (w *manifestWriter) end() error {
	w.out.WriteString("\n]}\n")
	return w.out.Flush()
}

// manifest is what an import reads.
type manifest struct {
	header
	files [][]fileRecord // of each path
	logs  []logRecord
}

const (
	maxRecords = 250_000 // in a manifest
	maxRecord  = 1 << 20 // bytes of a record, about
)

// badManifest says what is wrong in a manifest.
func badManifest(cause string, args ...any) error {
	e := workspace.Errorf(workspace.ErrInvalid,
		cause+"; export again, or rename the file if the folder is no export", args...)
	e.Op, e.Object = "import", manifestName
	return e
}

// readManifest reads a manifest and checks it as a whole. It never holds more than the
// records that it returns and about a megabyte.
func readManifest(in io.Reader) (*manifest, error) {
	budget := &budgetReader{in: in, left: maxRecord}
	d := json.NewDecoder(budget)
	m := &manifest{}
	read := reader{manifest: m, paths: map[string]bool{}, tick: func() { budget.left = maxRecord }}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, badManifest("it is not a manifest")
	}
	for d.More() {
		key, err := d.Token()
		if err == nil {
			err = read.field(d, fmt.Sprint(key))
		}
		if err != nil {
			return nil, manifestError(err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, manifestError(err)
	}
	if m.Format != format {
		return nil, badManifest("its format is %.40q, and this program reads %q", m.Format, format)
	}
	for _, versions := range m.files {
		if last := versions[len(versions)-1]; strings.HasPrefix(last.Name, versionsDir) && last.Deleted == nil {
			return nil, badManifest("%.80q has no current version, and is not deleted", last.Path)
		}
	}
	return m, nil
}

func manifestError(err error) error {
	if workspace.Kind(err) != nil {
		return err
	}
	return badManifest("%v", err)
}

// reader collects the records of a manifest.
type reader struct {
	*manifest
	paths   map[string]bool // "files/" or "logs/" and the path
	records int
	tick    func()
}

func (r *reader) field(d *json.Decoder, key string) error {
	switch key {
	case "format":
		return d.Decode(&r.Format)
	case "database":
		return d.Decode(&r.Database)
	case "agent":
		return d.Decode(&r.Agent)
	case "time":
		return d.Decode(&r.Time)
	case "files", "deleted": // older programs have two lists
		return elements(r, d, (*reader).addFile)
	case "logs":
		return elements(r, d, (*reader).addLog)
	}
	return badManifest("it has a field %.40q, which this program does not know", key)
}

// elements decodes a list, one element at a time.
func elements[T any](r *reader, d *json.Decoder, add func(*reader, T) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return badManifest("it has a list that is none")
	}
	for d.More() {
		r.tick()
		if r.records++; r.records > maxRecords {
			return badManifest("it has more than %d records", maxRecords)
		}
		var record T
		if err := d.Decode(&record); err != nil {
			return err
		}
		if err := add(r, record); err != nil {
			return err
		}
	}
	r.tick()
	_, err := d.Token()
	return err
}

func (r *reader) addFile(f fileRecord) error {
	want, isOld := strings.CutPrefix(f.Name, versionsDir)
	if isOld {
		if want, isOld = strings.CutSuffix(want, versionMark+fmt.Sprint(f.Version)); !isOld {
			return badName(f.Path, f.Name)
		}
	} else if want, isOld = strings.CutPrefix(f.Name, filesDir); !isOld {
		return badName(f.Path, f.Name)
	} else if f.Redacted != nil || f.Deleted != nil {
		return badManifest("the current version of %.80q is redacted or deleted, which cannot be", f.Path)
	}
	if path, err := Unescape(want); err != nil || path != f.Path {
		return badName(f.Path, f.Name)
	}
	if err := checkRecord(f.Path, f.Bytes, f.SHA256); err != nil {
		return err
	}
	if n := len(r.files); n > 0 && r.files[n-1][0].Path == f.Path {
		versions := &r.files[n-1]
		last := (*versions)[len(*versions)-1]
		if f.Version <= last.Version || !strings.HasPrefix(last.Name, versionsDir) || last.Deleted != nil {
			return badManifest("version %d of %.80q follows version %d", f.Version, f.Path, last.Version)
		}
		*versions = append(*versions, f)
		return nil
	}
	r.files = append(r.files, []fileRecord{f})
	return r.once(filesDir, f.Path)
}

func (r *reader) addLog(l logRecord) error {
	name, ok := strings.CutPrefix(l.Name, logsDir)
	path, err := Unescape(name)
	if !ok || err != nil || path != l.Path+logEnd {
		return badName(l.Path, l.Name)
	}
	if err := checkRecord(l.Path, l.Bytes, l.SHA256); err != nil {
		return err
	}
	r.logs = append(r.logs, l)
	return r.once(logsDir, l.Path)
}

// once refuses a path that a list has twice.
func (r *reader) once(list, path string) error {
	if r.paths[list+path] {
		return badManifest("it has two records for %.80q", path)
	}
	r.paths[list+path] = true
	return nil
}

func badName(path, name string) error {
	return badManifest("%.80q is not the name of %.80q", name, path)
}

func checkRecord(path string, size int64, hash string) error {
	if _, err := hex.DecodeString(hash); err != nil || len(hash) != 64 || size < 0 {
		return badManifest("the size or the hash of %.80q is wrong", path)
	}
	return nil
}

// budgetReader fails when more is read than is left.
type budgetReader struct {
	in   io.Reader
	left int64
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, badManifest("a record has more than %d bytes", maxRecord)
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
