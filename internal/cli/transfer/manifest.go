package transfer

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
// the oldest first. The last one is current.
type fileRecord struct {
	Path    string    `json:"path"`
	Version int64     `json:"version"`
	Name    string    `json:"name"`
	Bytes   int64     `json:"bytes"`
	SHA256  string    `json:"sha256"`
	Time    time.Time `json:"time"`
	Author  *author   `json:"author,omitempty"`

	Redacted *redaction `json:"redacted,omitempty"` // the content was removed, and the file is empty
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
	return &redaction{r.Time, authorOf(r.Author)}
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

// manifest is what an export writes, with a line for each record, and an import reads.
type manifest struct {
	header
	Files []fileRecord `json:"files"`
	Logs  []logRecord  `json:"logs"`
}

const (
	maxManifest = 128 << 20 // bytes
	// maxCommas bounds the records of a manifest, which take more memory than their text if
	// they are empty. 250,000 full records have fewer.
	maxCommas = 3_000_000
)

// badManifest says what is wrong in a manifest.
func badManifest(cause string, args ...any) error {
	e := workspace.Errorf(workspace.ErrInvalid,
		cause+"; export again, or rename the file if the folder is no export", args...)
	e.Op, e.Object = "import", manifestName
	return e
}

// readManifest reads a manifest and checks it as a whole. It returns the versions of each
// path, and the logs.
func readManifest(text []byte) (files [][]fileRecord, logs []logRecord, err error) {
	if bytes.Count(text, []byte(",")) > maxCommas {
		return nil, nil, badManifest("it has too many records")
	}
	var m manifest
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF")))) // some editors write it
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, nil, badManifest("it is not a manifest: %v", err)
	}
	if m.Format != format {
		return nil, nil, badManifest("its format is %.40q, and this program reads %q", m.Format, format)
	}
	seen := map[string]bool{} // "files/" or "logs/" and the path
	once := func(list, path string) error {
		if seen[list+path] {
			return badManifest("it has two records for %.80q", path)
		}
		seen[list+path] = true
		return nil
	}
	var last fileRecord
	for _, f := range m.Files {
		if err := checkFile(f); err != nil {
			return nil, nil, err
		}
		if n := len(files); n > 0 && last.Path == f.Path {
			if f.Version != last.Version+1 || !strings.HasPrefix(last.Name, versionsDir) {
				return nil, nil, badManifest("version %d of %.80q follows version %d", f.Version, f.Path, last.Version)
			}
			files[n-1] = append(files[n-1], f)
		} else if err := once(filesDir, f.Path); err != nil {
			return nil, nil, err
		} else {
			files = append(files, []fileRecord{f})
		}
		last = f
	}
	for _, l := range m.Logs {
		err := checkRecord(l.Path+logEnd, l.Name, logsDir, "", l.Bytes, l.SHA256)
		if err = cmp.Or(err, once(logsDir, l.Path)); err != nil {
			return nil, nil, err
		}
	}
	return files, m.Logs, nil
}

func checkFile(f fileRecord) error {
	dir, end := filesDir, ""
	if !strings.HasPrefix(f.Name, filesDir) {
		dir, end = versionsDir, versionMark+fmt.Sprint(f.Version)
	} else if f.Redacted != nil {
		return badManifest("the current version of %.80q is redacted, which cannot be", f.Path)
	}
	return checkRecord(f.Path, f.Name, dir, end, f.Bytes, f.SHA256)
}

// checkRecord checks that a name begins with dir, ends with end, and stands for the path.
func checkRecord(path, name, dir, end string, size int64, hash string) error {
	inner, inDir := strings.CutPrefix(name, dir)
	inner, ends := strings.CutSuffix(inner, end)
	if found, err := Unescape(inner); !inDir || !ends || err != nil || found != path {
		return badManifest("%.80q is not the name of %.80q", name, path)
	}
	if _, err := hex.DecodeString(hash); err != nil || len(hash) != 64 || size < 0 {
		return badManifest("the size or the hash of %.80q is wrong", path)
	}
	return nil
}
