package workspace

import (
	"bytes"
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RedactFileOptions of [Workspace.RedactFile]. The zero value removes the secrets of known form.
type RedactFileOptions struct {
	Text string // removes this text in place of secrets of known form; "": the secrets
}

// FileRedaction says what [Workspace.RedactFile] has removed.
type FileRedaction struct {
	Path     string
	Version  int64   // the new version; 0: the current version had no secret, or the file is deleted
	Replaced int64   // number of texts that the new version has replaced
	Versions []int64 // the retained versions whose content is gone, in ascending order
}

// RedactFile removes secrets from a file and from its retained versions, all in one transaction.
// A new version has "[redacted: KIND]" in the place of each secret, or "[redacted]" in the place
// of Text. Each retained version that has a secret of known form, or Text, is redacted as
// [Workspace.RedactVersion] does, and loses all of its content. The summaries of the file are
// removed. A private key is removed up to the line that ends it, or to the end of
// the text. No limit refuses RedactFile.
//
// Errors: [ErrNotFound] if there is no such file; [ErrConflict] if no retained version has a
// secret, or the text.
func (w *Workspace) RedactFile(ctx context.Context, path string, o RedactFileOptions) (FileRedaction, error) {
	c := w.newWrite(ctx, "redact", path, "")
	c.deletes = true
	var out FileRedaction
	q := store.Query{File: c.path, Current: true, History: true}
	_, err := c.transact(ctx, q, func(r *run) error {
		out = FileRedaction{Path: r.path}
		if !readable(r.File, r.now) {
			return errNoFile
		}
		if err := r.checkOutside(); err != nil {
			return err
		}
		var clean []byte
		if r.File.Exists() {
			if err := r.Version.Verify(); err != nil {
				return err
			}
			clean, out.Replaced = removeSecrets(r.Version.Content, o.Text)
		}
		has, err := r.versionsWith(o.Text)
		if err != nil {
			return err
		}
		if len(has) == 0 {
			what := "a secret of known form"
			if o.Text != "" {
				what = "the text"
			}
			return Errorf(ErrConflict, "no version that is kept has %s", what)
		}
		if r.keepsAll = true; out.Replaced > 0 {
			if err := r.saveVersion(w.newVersion(clean, r.now), OpEdit, 0); err != nil {
				return err
			}
			out.Version = r.File.Version
		}
		for _, v := range has {
			r.Version = v
			out.Versions = append(out.Versions, v.Number)
			if err := r.redactVersion(); err != nil {
				return err
			}
		}
		return nil
	})
	return out, c.explain(ctx, err)
}

// removeSecrets returns a text without a part, or without the secrets of known form if the part is
// "". It also returns how many there were.
func removeSecrets(text []byte, part string) ([]byte, int64) {
	if part != "" {
		return bytes.ReplaceAll(text, []byte(part), []byte("[redacted]")), int64(bytes.Count(text, []byte(part)))
	}
	found := secrets.Find(text)
	return secrets.Redact(text, found), int64(len(found))
}

// versionsWith returns the retained versions that have a part, without their content. If the part
// is "", they are those with a secret.
func (r *run) versionsWith(part string) (has []Version, err error) {
	for _, v := range r.Versions {
		if v.Redacted != nil {
			continue
		}
		l, err := r.tx.Load(store.Query{File: r.path, Version: v.Number})
		if err == nil {
			err = l.Version.Verify()
		}
		if err != nil {
			return nil, err
		}
		if _, n := removeSecrets(l.Version.Content, part); n > 0 {
			has = append(has, v)
		}
	}
	return has, nil
}

// RedactEntry removes the text of an entry of a log for good. The entry keeps its number, author
// and time, has a receipt, and is found by no search. Redacting an entry again returns the same
// receipt and stores nothing. No limit refuses a redaction. Copies elsewhere stay, as with
// [Workspace.RedactVersion]. Errors: [ErrNotFound] if there is no such log or entry.
func (w *Workspace) RedactEntry(ctx context.Context, path string, entry int64) (Entry, error) {
	c := w.newWrite(ctx, "redact entry of log", path, "")
	c.deletes = true
	if entry < 1 {
		c.refuse(Errorf(ErrInvalid, "the entry is %d, the least is 1", entry))
	}
	var e Entry
	q := store.Query{Log: c.path, Entries: &store.EntryQuery{After: entry - 1, Limit: 1}}
	_, err := c.transact(ctx, q, func(r *run) error {
		h := r.Log
		switch {
		case !h.Exists():
			return Errorf(ErrNotFound, "there is no such log")
		case h.First > h.Last:
			return Errorf(ErrNotFound, "there is no entry %d, the log is empty", entry)
		case len(r.Entries) == 0 || r.Entries[0].ID != entry:
			return Errorf(ErrNotFound, "there is no entry %d, the log has entries %d to %d", entry, h.First, h.Last)
		}
		if e = r.Entries[0]; e.Redacted != nil {
			return errRepeated
		}
		receipt := Redaction{Time: latest(r.now, h.Updated), Author: stored(w.author)}
		h.Bytes -= int64(len(e.Content))
		e = Entry{ID: e.ID, Time: e.Time, Author: e.Author, Redacted: &receipt}
		change := Change{Op: OpRedact, Before: entry, After: h.Last}
		if err := r.accountLog(h, &change); err != nil {
			return err
		}
		return r.tx.Apply(store.EntryRedaction{Head: h, ID: entry, Redaction: receipt, Change: change, Owner: r.Owner})
	})
	return e, c.explain(ctx, err)
}
