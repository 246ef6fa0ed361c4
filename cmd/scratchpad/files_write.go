package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesWrite struct {
	Path      string  `arg:"" help:"The file."`
	Source    string  `arg:"" optional:"" default:"-" help:"A local file, or - for standard input."`
	IfVersion *number `placeholder:"N" help:"Write only if the file is at version N; 0: only if there is none."`
}

// Help is shown by scratchpad files write --help.
func (filesWrite) Help() string {
	return `The oldest versions go where there are more than --max-versions. Without that flag as many stay as there are, if a server has kept more.

Examples:

  scratchpad files write plan.md < plan.md
  scratchpad files write notes/todo.md todo.md --if-version 0`
}

type writeRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
	Replacements int64  `json:"replacements,omitempty"`
}

// Run writes the file.
func (c filesWrite) Run(p *process) error {
	if _, err := workspace.ParsePath(c.Path); err != nil {
		return err
	}
	limit := p.line.Limits.FileBytes
	content, err := p.readSource(c.Source, limit)
	if err != nil {
		return err
	}
	if int64(len(content)) > limit {
		return workspace.Errorf(workspace.ErrTooLarge, "write %s: the source has more than %d bytes, the limit of a file (--max-file-bytes)", c.Path, limit)
	}
	return p.withKept(p.openDatabase, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.WriteFile(p.ctx, c.Path, content, workspace.WriteOptions{IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes})
	})
}

// withKept is with for a write to a file. A server with a higher --max-versions
// may have kept more of its versions than this command line says: unless that
// flag was given, the write keeps as many.
func (p *process) withKept(open func() (*database, error), path string, fn func(*workspace.Workspace) error) error {
	return p.with(func() (*database, error) {
		db, err := open()
		if err != nil || p.versionsGiven {
			return db, err
		}
		if err := db.keepVersions(path); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	}, fn)
}

// keepVersions raises the limit on versions to those that a file has.
func (d *database) keepVersions(path string) error {
	name, _, err := d.p.agentName()
	if err != nil {
		return err
	}
	svc, err := d.service(d.p.ctx)
	if err != nil {
		return err
	}
	look, err := svc.Look(name)
	if err != nil {
		return err
	}
	files, err := look.ListFiles(d.p.ctx, workspace.ListOptions{Prefix: path, Limit: 1}) // the path itself comes first
	if err != nil {
		return err
	}
	limits := workspace.Limits(d.p.line.Limits)
	if len(files.Files) > 0 && files.Files[0].Path == path && files.Files[0].Versions > limits.Versions {
		limits.Versions = files.Files[0].Versions
		svc, err := workspace.New(d.store, workspace.Options{Limits: limits, Store: d.p.line.Store.options()})
		if err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.svc = svc
	}
	return nil
}

func (p *process) answerWritten(r writeRecord) error {
	return p.answer(r, func(out io.Writer) error {
		fmt.Fprintf(out, "%s: version %d, %s", r.Path, r.Version, plural(r.BytesWritten, "byte"))
		if r.Replacements > 0 {
			fmt.Fprintf(out, ", %s", plural(r.Replacements, "replacement"))
		}
		_, err := fmt.Fprintln(out)
		return err
	})
}

type filesEdit struct {
	Path      string  `arg:"" help:"The file."`
	Old       *string `arg:"" optional:"" help:"The text to replace. It must occur once."`
	New       *string `arg:"" optional:"" help:"What replaces it; may be empty."`
	All       bool    `help:"Replace every occurrence."`
	IfVersion *count  `placeholder:"N" help:"Edit only if the file is at version N."`
}

// Help is shown by scratchpad files edit --help.
func (filesEdit) Help() string {
	return `Without a text it opens $VISUAL or $EDITOR on a copy, and writes what you saved if nobody else wrote meanwhile. Put -- before a text that begins with a dash. As with files write, no fewer versions are kept than there are unless --max-versions says.

Examples:

  scratchpad files edit plan.md
  scratchpad files edit plan.md Tuesday Wednesday --all
  scratchpad files edit todo.md -- '- [ ] test' '- [x] test'`
}

// Run replaces, or opens the editor.
func (c filesEdit) Run(p *process) error {
	switch {
	case c.Old == nil && c.All:
		return workspace.Errorf(workspace.ErrInvalid, "edit %s: --all needs a text to replace and one that replaces it", c.Path)
	case c.Old != nil && c.New == nil:
		return workspace.Errorf(workspace.ErrInvalid, "edit %s: the text that replaces %q is missing; give '' to remove it", c.Path, *c.Old)
	case c.Old == nil && !(isTerminal(p.in) && isTerminal(p.out)):
		return workspace.Errorf(workspace.ErrInvalid, "edit %s: there is no terminal for an editor; give the text to replace and what replaces it", c.Path)
	}
	if _, err := workspace.ParsePath(c.Path); err != nil {
		return err
	}
	return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error {
		if c.Old == nil {
			return c.open(p, ws)
		}
		r, err := ws.EditFile(p.ctx, c.Path, *c.Old, *c.New, workspace.EditOptions{All: c.All, IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes, Replacements: r.Replacements})
	})
}

// open edits the file in an editor. What was saved there is kept where it
// cannot be written.
func (c filesEdit) open(p *process, ws *workspace.Workspace) error {
	r, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{})
	if err != nil {
		return err
	}
	if c.IfVersion != nil && int64(*c.IfVersion) != r.Current {
		return workspace.Errorf(workspace.ErrConflict, "edit %s: it is at version %d, --if-version is %d", c.Path, r.Current, *c.IfVersion)
	}
	dir, err := os.MkdirTemp("", "scratchpad-")
	if err != nil {
		return err
	}
	local := filepath.Join(dir, path.Base(r.Path))
	if err := os.WriteFile(local, r.Content, 0o600); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := p.runEditor(local); err != nil {
		err = fmt.Errorf("edit %s: nothing was written: %w", c.Path, err)
		if saved := leftByEditor(local, r.Content); saved != "" {
			return fmt.Errorf("%w; your text is in %s", err, saved)
		}
		return errors.Join(err, os.RemoveAll(dir))
	}
	edited, err := os.ReadFile(local)
	if err != nil {
		return fmt.Errorf("edit %s: nothing was written: %w", c.Path, err)
	}
	if bytes.Equal(edited, r.Content) {
		return errors.Join(p.answerUnchanged(r), os.RemoveAll(dir))
	}
	// A Ctrl-C was meant for the editor.
	w, err := ws.WriteFile(context.WithoutCancel(p.ctx), r.Path, edited, workspace.WriteOptions{IfVersion: &r.Current})
	if err != nil {
		return followed{err, "your text is in " + local}
	}
	return errors.Join(p.answerWritten(writeRecord{Path: w.Path, Version: w.Version, BytesWritten: w.Bytes}), os.RemoveAll(dir))
}

type unchangedRecord struct {
	Path      string `json:"path"`
	Version   int64  `json:"version"`
	Unchanged bool   `json:"unchanged"`
}

func (p *process) answerUnchanged(r workspace.ReadResult) error {
	return p.answer(unchangedRecord{r.Path, r.Current, true}, func(io.Writer) error {
		return p.note("%s: nothing was changed\n", r.Path)
	})
}

// runEditor lets the user edit a local file. The signals of the keyboard go to
// all programs on the terminal; this one outlives them, so that what was saved
// is not lost.
func (p *process) runEditor(local string) error {
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, os.Interrupt, syscall.SIGQUIT) // not Ignore, which the editor would inherit
	defer signal.Stop(keys)
	cmd := editor(local)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s ended with %v; $VISUAL or $EDITOR names another", cmd.Args[0], err)
	}
	return nil
}

// leftByEditor is where an editor that failed has left a text: the file that it
// was to edit, or else the folder, such as for a swap file. It is "" when all is
// as it was.
func leftByEditor(local string, content []byte) string {
	now, err := os.ReadFile(local)
	if err == nil && !bytes.Equal(now, content) {
		return local
	}
	dir := filepath.Dir(local)
	if all, readErr := os.ReadDir(dir); readErr != nil || len(all) > 1 || err != nil && len(all) > 0 {
		return dir
	}
	return ""
}

// editor is $VISUAL, $EDITOR or vi. The variables may carry arguments and
// quotes, as git takes them.
func editor(local string) *exec.Cmd {
	name := "vi"
	if runtime.GOOS == "windows" {
		name = "notepad"
	}
	for _, variable := range []string{"EDITOR", "VISUAL"} {
		if given := os.Getenv(variable); strings.TrimSpace(given) != "" {
			name = given
		}
	}
	if runtime.GOOS == "windows" {
		words := strings.Fields(name)
		return exec.Command(words[0], append(words[1:], local)...)
	}
	if !strings.ContainsAny(name, "|&;<>()$`\\\"' \t\n*?[#~=%") {
		return exec.Command(name, local) // no shell between, which a Ctrl-C would end
	}
	cmd := exec.Command("sh", "-c", name+` "$@"`, name, local)
	cmd.Args[0] = name
	return cmd
}
