package dump_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var owner = store.Owner{Tenant: "local", Agent: "a"}

// sample returns a store in which a workspace has made rows of every kind.
func sample(t *testing.T) store.Store {
	t.Helper()
	s := memstore.New()
	t.Cleanup(func() { s.Close() })
	svc, err := workspace.New(s, workspace.Options{Summarizer: &workspace.Summarizer{
		Method: "short", Prompt: "1",
		Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "short"}, nil
		},
	}})
	testkit.Must(t, err)
	ws, err := svc.Agent(owner.Agent)
	testkit.Must(t, err)
	do := func(_ any, err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	for i := range 3 {
		do(ws.WriteFile(t.Context(), "f", []byte(strings.Repeat(fmt.Sprint(i), 9000)), workspace.WriteOptions{IdempotencyKey: fmt.Sprint("k", i)}))
		do(ws.AppendLog(t.Context(), "l", []byte(fmt.Sprint("entry ", i))))
	}
	do(ws.As(store.Author{Client: "cleaner"}).RedactVersion(t.Context(), "f", 2, workspace.RedactOptions{}))
	do(ws.WriteFile(t.Context(), "gone", []byte("x"), workspace.WriteOptions{}))
	do(ws.DeleteFile(t.Context(), "gone", workspace.DeleteOptions{}))
	do(ws.AppendLog(t.Context(), "gone", []byte("x")))
	do(ws.DeleteLog(t.Context(), "gone", workspace.DeleteLogOptions{}))
	do(ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{}))
	return s
}

func collect(t *testing.T, rows iter.Seq2[store.Row, error]) (all []store.Row) {
	t.Helper()
	for r, err := range rows {
		testkit.Must(t, err)
		all = append(all, r)
	}
	return all
}

func TestCheckOfWhatWorkspaceMakes(t *testing.T) {
	s := sample(t)
	r, err := dump.Check(t.Context(), s, owner)
	if err != nil || r.Problems != nil {
		t.Fatalf("Check = %+v, %v, want no problem", r, err)
	}
	if r.Versions != 3 || r.Entries != 3 || r.State.Files != 1 || r.State.DeletedFiles != 1 || r.Bytes != r.State.Bytes {
		t.Errorf("Check = %+v, want what was written", r)
	}
	if nobody, err := dump.Check(t.Context(), s, store.Owner{Tenant: "local", Agent: "b"}); err != nil || nobody.Rows != 0 || nobody.Problems != nil || nobody.Digest != sha256.Sum256(nil) {
		t.Errorf("Check of an owner who has nothing = %+v, %v", nobody, err)
	}
}

// The digest is another one after a change of any field of any row, and after rows are
// swapped, left out or given twice.
func TestDigestOfEveryField(t *testing.T) {
	rows := collect(t, dump.Rows(t.Context(), sample(t), owner))
	digest := func(rows []store.Row) [sha256.Size]byte {
		var c dump.Checker
		for _, r := range rows {
			_ = c.Add(r)
		}
		r, _ := c.End()
		return r.Digest
	}
	seen := map[[sha256.Size]byte]string{digest(rows): "nothing"}
	fields := 0
	for i := range rows {
		for field := range leaves(reflect.ValueOf(rows[i])) {
			fields++
			undo := spoil(t, field)
			what := fmt.Sprintf("row %d, field %d", i, fields)
			if before, ok := seen[digest(rows)]; ok {
				t.Errorf("%s: the digest is the one of %s", what, before)
			}
			seen[digest(rows)] = what
			undo()
		}
		if i > 0 {
			swapped := slices.Clone(rows)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			if before, ok := seen[digest(swapped)]; ok {
				t.Errorf("swap %d: the digest is the one of %s", i, before)
			}
		}
		if before, ok := seen[digest(slices.Delete(slices.Clone(rows), i, i+1))]; ok {
			t.Errorf("delete %d: the digest is the one of %s", i, before)
		}
	}
	if seen[digest(rows)] != "nothing" || fields < 200 {
		t.Errorf("%d fields were changed and changed back, want at least 200", fields)
	}
}

// leaves gives the fields of a value that are no structs, except times.
func leaves(v reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) { walk(v, yield) }
}

func walk(v reflect.Value, yield func(reflect.Value) bool) bool {
	switch {
	case v.Kind() == reflect.Pointer:
		return v.IsNil() || walk(v.Elem(), yield)
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			if v.Field(i).CanSet() && !walk(v.Field(i), yield) || !v.Field(i).CanSet() && v.Field(i).Kind() == reflect.Pointer && !walk(v.Field(i), yield) {
				return false
			}
		}
		return true
	}
	return yield(v)
}

// spoil changes a value, and returns what changes it back.
func spoil(t *testing.T, v reflect.Value) func() {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	switch x := v.Addr().Interface().(type) {
	case *int64:
		*x++
	case *bool:
		*x = !*x
	case *time.Time:
		*x = x.Add(time.Microsecond)
	case *[]int64:
		*x = append(slices.Clone(*x), 1)
	case *[]store.Run:
		*x = append(slices.Clone(*x), store.Run{First: 1})
	case *[]byte:
		*x = append(slices.Clone(*x), 1)
	case *[sha256.Size]byte:
		x[31]++
	default:
		if v.Kind() != reflect.String {
			t.Fatalf("a field of type %v", v.Type())
		}
		v.SetString(v.String() + "\x00")
	}
	return func() { v.Set(before) }
}

// A row that does not fit is refused at once, with its kind, and named.
func TestFitting(t *testing.T) {
	s := sample(t)
	rows := collect(t, dump.Rows(t.Context(), s, owner))
	if all := collect(t, dump.Fitting(dump.Rows(t.Context(), s, owner))); len(all) != len(rows) {
		t.Errorf("Fitting gives %d rows, want %d", len(all), len(rows))
	}
	for i, r := range rows {
		switch {
		case r.Version != nil:
			v := *r.Version
			v.Content = []byte("other")
			rows[i].Version = &v
		case r.Entry != nil:
			e := *r.Entry
			e.Content = []byte("other")
			rows[i].Entry = &e
		default:
			continue
		}
		var err error
		n := 0
		for _, err = range dump.Fitting(func(yield func(store.Row, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}) {
			n++
		}
		if !errors.Is(err, store.ErrCorrupt) || n != i+1 || !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("Fitting with another content in row %d ends at row %d with %v, want ErrCorrupt", i, n-1, err)
		}
		rows[i] = r
	}
	own := errors.New("own")
	for _, err := range dump.Fitting(func(yield func(store.Row, error) bool) { yield(store.Row{}, own) }) {
		if err != own {
			t.Errorf("Fitting of an error gives %v, want it as it is", err)
		}
	}
}

// A redacted version has no content, no size and no SHA-256, and is not the current one.
func TestRedactedRows(t *testing.T) {
	rows := collect(t, dump.Rows(t.Context(), sample(t), owner))
	receipt := new(store.Redaction)
	for _, c := range []struct {
		what    string
		version int64
		change  func(*store.Version)
		kind    error
	}{
		{"content", 2, func(v *store.Version) { v.Content = []byte("x") }, store.ErrCorrupt},
		{"a SHA-256", 2, func(v *store.Version) { v.SHA256 = sha256.Sum256(nil) }, store.ErrCorrupt},
		{"a size", 2, func(v *store.Version) { v.Size = 1 }, store.ErrInvalid},
		{"no receipt", 2, func(v *store.Version) { v.Redacted = nil }, store.ErrCorrupt},
		{"a receipt that the head does not know", 1, func(v *store.Version) { *v = store.Version{Number: 1, Redacted: receipt} }, store.ErrInvalid},
		{"a receipt in the current version", 3, func(v *store.Version) { *v = store.Version{Number: 3, Redacted: receipt} }, store.ErrInvalid},
	} {
		var check dump.Checker
		var first error
		for _, r := range rows {
			if r.Version != nil && r.Version.Number == c.version {
				v := *r.Version
				c.change(&v)
				r.Version = &v
			}
			first = cmp.Or(first, check.Add(r))
		}
		if !errors.Is(first, c.kind) {
			t.Errorf("version %d with %s: %v, want %v", c.version, c.what, first, c.kind)
		}
	}
}

// A redacted entry has no content and no SHA-256.
func TestRedactedEntryRows(t *testing.T) {
	s := sample(t)
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent(owner.Agent)
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(ws.RedactEntry(t.Context(), "l", 2)))
	rows := collect(t, dump.Rows(t.Context(), s, owner))
	for what, c := range map[string]struct {
		change func(*store.Entry)
		kind   error
	}{
		"nothing":    {func(*store.Entry) {}, nil},
		"content":    {func(e *store.Entry) { e.Content = []byte("x") }, store.ErrCorrupt},
		"a SHA-256":  {func(e *store.Entry) { e.SHA256 = sha256.Sum256(nil) }, store.ErrCorrupt},
		"no receipt": {func(e *store.Entry) { e.Redacted = nil }, store.ErrCorrupt},
	} {
		var check dump.Checker
		var first error
		for _, r := range rows {
			if r.Entry != nil && r.Entry.Redacted != nil {
				e := *r.Entry
				c.change(&e)
				r.Entry = &e
			}
			first = cmp.Or(first, check.Add(r))
		}
		if !errors.Is(first, c.kind) {
			t.Errorf("an entry with %s: %v, want %v", what, first, c.kind)
		}
	}
}

// Rows may be left before their end, and ranged over again.
func TestRows(t *testing.T) {
	s := sample(t)
	rows := dump.Rows(t.Context(), s, owner)
	all := collect(t, rows)
	for n := range all {
		seen := 0
		for _, err := range rows {
			testkit.Must(t, err)
			if seen++; seen > n {
				break
			}
		}
	}
	if again := collect(t, rows); len(again) != len(all) {
		t.Errorf("a second range gives %d rows, want %d", len(again), len(all))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var err error
	for _, err = range dump.Rows(ctx, s, owner) {
		continue
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Rows with a cancelled context end with %v, want context.Canceled", err)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	var c dump.Checker
	for range 1000 {
		_ = c.Add(store.Row{})
	}
	if r, err := c.End(); err != nil || len(r.Problems) != 100 || r.Rows != 1000 {
		t.Errorf("1000 rows that are none: %d problems, %v, want 100", len(r.Problems), err)
	}
}
