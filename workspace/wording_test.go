package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// wordsOfTools are terms unlike those of Go.
var wordsOfTools = workspace.Words{
	Arg: map[workspace.Arg]string{workspace.ArgSince: "since_version", workspace.ArgIfVersion: "if_version", workspace.ArgOld: "old_text"},
	Way: func(e *workspace.Error) string {
		if e.Way.Do == workspace.DoList {
			return "list_files shows them"
		}
		return ""
	},
	NoKind: true,
}

// fieldTests are calls that fail, with the fields and the texts of their errors: in the
// terms of Go, and in those of wordsOfTools.
var fieldTests = []struct {
	call        func(*workspace.Workspace) error
	op, object  string
	kind        error
	way         workspace.Way
	quota       *workspace.Quota
	text, other string
}{
	{putAt("plan.md", "x", 1), "write", "plan.md", workspace.ErrConflict, workspace.Way{Do: workspace.DoReadSince, N: 1}, nil,
		"write plan.md: it is at version 2, IfVersion is 1; read it with Since 1 to see what changed: conflict",
		"write plan.md: it is at version 2, if_version is 1; read it with since_version 1 to see what changed"},
	{getWith("plan", workspace.ReadOptions{}), "read", "plan", workspace.ErrNotFound, workspace.Way{Do: workspace.DoUseName, Name: "plan.md"}, nil,
		"read plan: there is no such file; the nearest name is plan.md: not found",
		"read plan: there is no such file; the nearest name is plan.md"},
	{getWith("zzzzzz", workspace.ReadOptions{}), "read", "zzzzzz", workspace.ErrNotFound, workspace.Way{Do: workspace.DoList}, nil,
		"read zzzzzz: there is no such file; ListFiles shows those that exist: not found",
		"read zzzzzz: there is no such file; list_files shows them"},
	{getWith("plan.md", workspace.ReadOptions{Version: 7}), "read", "plan.md", workspace.ErrNotFound, workspace.Way{Do: workspace.DoUseVersion, N: 2}, nil,
		"read plan.md: version 7 is not kept, versions 1 to 2 are: not found",
		"read plan.md: version 7 is not kept, versions 1 to 2 are"},
	{putAt("third", "x", 0), "write", "third", workspace.ErrQuota, workspace.Way{Do: workspace.DoDelete},
		&workspace.Quota{Of: workspace.FileCount, Used: 2, Adds: 1, Limit: 2},
		"write third: file limit reached (2 of 2), this write adds 1; delete what is not needed: quota exceeded",
		"write third: file limit reached (2 of 2), this write adds 1; delete what is not needed"},
	{putAt("plan.md", fmt.Sprintf("%061d", 0), 2), "write", "plan.md", workspace.ErrTooLarge, workspace.Way{Do: workspace.DoSplitFile},
		&workspace.Quota{Of: workspace.FileSize, Adds: 61, Limit: 60},
		"write plan.md: 61 bytes, limit 60; split it into several files: too large",
		"write plan.md: 61 bytes, limit 60; split it into several files"},
	// What stands in a file is quoted as it is, whatever it says.
	{editOld("quotes", "Since, IfVersion and old are no names"), "edit", "quotes", workspace.ErrConflict, workspace.Way{}, nil,
		`edit quotes: old does not occur; the nearest is line 1: "Since, IfVersion and old are names in Go": conflict`,
		`edit quotes: old_text does not occur; the nearest is line 1: "Since, IfVersion and old are names in Go"`},
	{getWith("a*b", workspace.ReadOptions{}), "read", "a*b", workspace.ErrInvalid, workspace.Way{}, nil,
		"read path a*b: byte 2 is '*'; allowed are a-z A-Z 0-9 / _ . -: invalid",
		"read path a*b: byte 2 is '*'; allowed are a-z A-Z 0-9 / _ . -"},
	{getWith("a b", workspace.ReadOptions{}), "read", "a b", workspace.ErrInvalid, workspace.Way{Do: workspace.DoUnicodePaths}, nil,
		"read path a b: byte 2 is ' '; allowed are a-z A-Z 0-9 / _ . -; UnicodePaths allow it: invalid",
		"read path a b: byte 2 is ' '; allowed are a-z A-Z 0-9 / _ . -; UnicodePaths allow it"},
}

func putAt(path, content string, at int64) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.WriteFile(context.Background(), path, []byte(content), workspace.WriteOptions{IfVersion: &at})
		return err
	}
}

func editOld(path, old string) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.EditFile(context.Background(), path, old, "new", workspace.EditOptions{})
		return err
	}
}

func getWith(path string, o workspace.ReadOptions) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.ReadFile(context.Background(), path, o)
		return err
	}
}

// A program reads what it needs from the fields, and a front end words the error in
// its own terms.
func TestErrorFields(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Files: 2, FileBytes: 60}})
	write(t, ws, "plan.md", "one")
	write(t, ws, "plan.md", "two")
	write(t, ws, "quotes", "Since, IfVersion and old are names in Go")
	appendLog(t, ws, "notes", "entry")
	for _, c := range fieldTests {
		err := c.call(ws)
		var e *workspace.Error
		if !errors.As(err, &e) {
			t.Errorf("%v is not an Error", err)
			continue
		}
		if e.Op != c.op || e.Object != c.object || e.Kind != c.kind || e.Way != c.way || !errors.Is(err, c.kind) || workspace.Kind(err) != c.kind {
			t.Errorf("%v has the fields %q, %q, %v, %+v; want %q, %q, %v, %+v", err, e.Op, e.Object, e.Kind, e.Way, c.op, c.object, c.kind, c.way)
		}
		if diff := cmp.Diff(c.quota, e.Quota); diff != "" {
			t.Errorf("%v has another quota (-want +got):\n%s", err, diff)
		}
		if err.Error() != c.text || e.Text(wordsOfTools) != c.other {
			t.Errorf("the texts are\n%s\n%s\nwant\n%s\n%s", err, e.Text(wordsOfTools), c.text, c.other)
		}
	}
}

// The error of a backend is the cause, in its own words, and has the kind in it.
func TestErrorOfBackend(t *testing.T) {
	disk := errors.New("no space on the disk")
	full := fmt.Errorf("%w: %w", disk, workspace.ErrStorageFull)
	for _, c := range []struct {
		err               *workspace.Error
		text, withoutKind string
	}{
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrStorageFull, Err: full}, "write f: no space on the disk: storage full", "write f: no space on the disk: storage full"},
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrStorageFull, Err: disk}, "write f: no space on the disk: storage full", "write f: no space on the disk"},
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrClosed}, "write f: closed", "write f: closed"},
		{&workspace.Error{Op: "write", Object: "f", Err: disk}, "write f: no space on the disk", "write f: no space on the disk"},
		{workspace.Errorf(workspace.ErrInvalid, "%s is %d", workspace.ArgIfVersion, 3), "IfVersion is 3: invalid", "if_version is 3"},
		{&workspace.Error{Op: "save", Object: "g", Err: workspace.Errorf(workspace.ErrInvalid, "%s is wrong", workspace.ArgOld)}, "save g: old is wrong: invalid", "save g: old_text is wrong"},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("Error() = %q, want %q", got, c.text)
		}
		if got := c.err.Text(wordsOfTools); got != c.withoutKind {
			t.Errorf("Text() = %q, want %q", got, c.withoutKind)
		}
		if c.err.Kind != nil && !errors.Is(c.err, c.err.Kind) || c.err.Err == disk && !errors.Is(c.err, disk) {
			t.Errorf("%v does not wrap its kind and its cause", c.err)
		}
	}
}
