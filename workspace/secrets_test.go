package workspace_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// token returns a token of GitHub's form, another one for each n.
func token(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	body := fmt.Sprintf("%05dAbCdEfGhIjKlMnOpQrStUvWxY", n)
	sum, crc := make([]byte, 6), crc32.ChecksumIEEE([]byte(body))
	for i := range sum {
		sum[5-i] = digits[crc%62]
		crc /= 62
	}
	return "ghp_" + body + string(sum)
}

func jwt() string {
	return "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + strings.Repeat("aB3_x", 8)
}

func github(lines ...int64) *workspace.Secrets {
	s := &workspace.Secrets{Remove: "scratchpad files redact f --agent agent-1"}
	for _, line := range lines {
		s.List = append(s.List, workspace.Secret{Line: line, Kind: "GitHub token"})
	}
	return s
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A write warns of secrets that the version before did not have, and of no others.
func TestSecretsWarn(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Secrets: workspace.SecretsWarn})
	put := func(content string, o workspace.WriteOptions) *workspace.Secrets {
		t.Helper()
		r, err := ws.WriteFile(t.Context(), "f", []byte(content), o)
		testkit.Must(t, err)
		return r.Secrets
	}
	same(t, "none", put("nothing", workspace.WriteOptions{}), (*workspace.Secrets)(nil))
	same(t, "the first", put("a\nb "+token(1)+"\n", workspace.WriteOptions{IdempotencyKey: "k"}), github(2))
	same(t, "a repeated request", put("a\nb "+token(1)+"\n", workspace.WriteOptions{IdempotencyKey: "k"}), github(2))
	same(t, "moved by lines", put("\n\n"+token(1), workspace.WriteOptions{}), (*workspace.Secrets)(nil))
	same(t, "if changed", put("\n\n"+token(1), workspace.WriteOptions{IfVersion: ptr(3), IfChanged: true}), (*workspace.Secrets)(nil))
	same(t, "another one", put(token(2)+"\n\n"+token(1), workspace.WriteOptions{}), github(1))
	edit := func(old, new string) *workspace.Secrets {
		t.Helper()
		r, err := ws.EditFile(t.Context(), "f", old, new, workspace.EditOptions{})
		testkit.Must(t, err)
		return r.Secrets
	}
	same(t, "an edit elsewhere", edit("", "~"), (*workspace.Secrets)(nil))
	same(t, "an edit that completes one", edit("~", token(3)[:20]), (*workspace.Secrets)(nil))
	same(t, "an edit that completes one", edit(token(3)[:20], token(3)), github(4))
	same(t, "a large edit", edit("", strings.Repeat("a line\n", 4000)+token(4)), github(4005))
	u, err := ws.UpdateFile(t.Context(), "f", func(text []byte) ([]byte, error) {
		copy(text, strings.Repeat("x", len(text)))
		return []byte(token(1) + "\n" + token(5)), nil
	})
	testkit.Must(t, err)
	same(t, "UpdateFile", u.Secrets, github(2))
	var many strings.Builder
	for i := range 10_000 {
		many.WriteString(token(i+10) + "\n")
	}
	if s := put(many.String(), workspace.WriteOptions{}); s.More != 9990 || len(s.List) != 10 || s.List[9].Line != 10 {
		t.Errorf("10,000 secrets: %+v", s)
	}
}

func TestSecretsInEntries(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Secrets: workspace.SecretsWarn})
	add := func(entries ...string) *workspace.Secrets {
		t.Helper()
		var all [][]byte
		for _, e := range entries {
			all = append(all, []byte(e))
		}
		r, err := ws.AppendLogWith(t.Context(), "l", workspace.AppendOptions{IdempotencyKey: fmt.Sprint(len(entries))}, all...)
		testkit.Must(t, err)
		return r.Secrets
	}
	same(t, "none", add("x"), (*workspace.Secrets)(nil))
	want := &workspace.Secrets{List: []workspace.Secret{{Entry: 3, Line: 2, Kind: "GitHub token"}}, Remove: "scratchpad logs redact l 3 --agent agent-1"}
	same(t, "the second of two", add("y", "a\n"+token(1)), want)
	same(t, "a repeated request", add("y", "a\n"+token(1)), want)
}

// Further secrets are counted.
func TestSecretsText(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for n, more := range []string{1: "", 2: ", and there is 1 more", 3: ", and there are 2 more"} {
		if s := ws.FindSecrets("f", []byte(strings.Repeat(token(1)+"\n", n)), 1); n > 0 && s.Text() != "line 1 has a secret (GitHub token)"+more {
			t.Errorf("%d secrets: %q", n, s.Text())
		}
	}
}

// A refused write stores nothing, and its error has no part of the secret. What is no write of an
// agent is never refused.
func TestSecretsRefuse(t *testing.T) {
	store := newStore(t)
	off := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, off, "had", token(1))
	ws := agentOf(t, serviceOn(t, store, workspace.Options{Secrets: workspace.SecretsRefuse}), "a")
	o := workspace.WriteOptions{IdempotencyKey: "k"}
	for what, call := range map[string]func() error{
		"line 2 has a secret (GitHub token)": func() error { return testkit.Err(ws.WriteFile(t.Context(), "f", []byte("\n"+token(1)), o)) },
		"line 1 has a secret (GitHub token)": func() error { return testkit.Err(ws.EditFile(t.Context(), "f", "", token(1), workspace.EditOptions{})) },
		"update had: line 1": func() error {
			return testkit.Err(ws.UpdateFile(t.Context(), "had", func([]byte) ([]byte, error) { return []byte(token(2)), nil }))
		},
		"append to l, entry 2: line 1": func() error { return testkit.Err(ws.AppendLog(t.Context(), "l", []byte("x"), []byte(token(1)))) },
	} {
		for range 2 { // a retry is refused too
			err := call()
			wantErr(t, what, err, workspace.ErrInvalid, what, "secrets are refused here")
			if err != nil && strings.Contains(err.Error(), token(1)[8:16]) {
				t.Errorf("%s: the error has the secret: %v", what, err)
			}
		}
	}
	if u := usage(t, ws); u.Files != 1 || u.Logs != 0 || u.Bytes != 40 {
		t.Errorf("refused writes have stored something: %+v", u)
	}
	r, err := ws.WriteFile(t.Context(), "f", []byte(jwt()+"\nsk_test_"+"4eC39HqLyjWDarjtT1zdp7dc"), o)
	testkit.Must(t, err)
	same(t, "weak ones", r.Secrets, &workspace.Secrets{List: []workspace.Secret{{Line: 1, Kind: "JWT"}, {Line: 2, Kind: "Stripe test key"}}, Remove: "scratchpad files redact f --agent a"})
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "had", []byte("more "+token(1)), workspace.WriteOptions{})))
	write(t, ws, "had", "none")
	testkit.Must(t, testkit.Err(ws.MoveFile(t.Context(), "had", "moved", workspace.MoveOptions{})))
	testkit.Must(t, testkit.Err(ws.ImportFile(t.Context(), "imported", []workspace.Version{{Number: 1, Content: []byte(token(1))}})))
	p, err := pad.New(pad.Options{})
	testkit.Must(t, err)
	testkit.Must(t, p.Set("k", token(1)))
	testkit.Must(t, workspace.Saver(ws, "pad").Save(t.Context(), p.Snapshot()))
}

// A summary is stored and answered without the secrets of the file.
func TestSecretsInSummary(t *testing.T) {
	said := &workspace.Summarizer{Method: "m", Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		return workspace.SummaryText{Text: "key " + token(1)}, nil
	}}
	for rule, want := range []string{"key " + token(1), "key [redacted: GitHub token]", "key [redacted: GitHub token]"} {
		ws := newWorkspace(t, workspace.Options{Secrets: workspace.SecretRule(rule), Summarizer: said})
		write(t, ws, "f", longText("x"))
		for range 2 { // made, and from the store
			if got := summarize(t, ws, "f"); got.Text != want || !got.Stored {
				t.Errorf("%v: the summary is %+v, want %q", workspace.SecretRule(rule), got, want)
			}
		}
	}
}

// RedactFile leaves no secret in any version, in one step.
func TestRedactFile(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		for _, versions := range []int64{0, 1} {
			agent := fmt.Sprint("a", versions)
			ws := agentOf(t, serviceOn(t, store, workspace.Options{Limits: workspace.Limits{Versions: versions}}), agent)
			for _, text := range []string{"none", "x " + token(1), token(2), "a\n" + token(1) + "\n" + token(3) + "\n"} {
				write(t, ws, "f", text)
			}
			before := usage(t, ws)
			r, err := ws.RedactFile(t.Context(), "f", workspace.RedactFileOptions{})
			testkit.Must(t, err)
			want := workspace.FileRedaction{Path: "f", Version: 5, Replaced: 2, Versions: []int64{2, 3, 4}}
			if versions == 1 {
				want.Versions = []int64{4}
			}
			same(t, "RedactFile", r, want)
			if got := string(read(t, ws, "f", workspace.ReadOptions{}).Content); got != "a\n[redacted: GitHub token]\n[redacted: GitHub token]\n" {
				t.Errorf("the current version is %q", got)
			}
			for _, v := range history(t, ws, "f") {
				if gone := v.Version >= 2 && v.Version <= 4; gone != (v.Redacted != nil) {
					t.Errorf("version %d: redacted %v", v.Version, v.Redacted)
				}
			}
			_, err = ws.RedactFile(t.Context(), "f", workspace.RedactFileOptions{})
			wantErr(t, "nothing left", err, workspace.ErrConflict, "redact f: no version that is kept has a secret of known form")
			if u := usage(t, ws); u.Bytes > before.Bytes {
				t.Errorf("the usage is %+v after %+v", u, before)
			}
			verifyOwner(t, store, agent)
		}
	})
}

func TestRedactText(t *testing.T) {
	svc, store := newService(t, workspace.Options{Secrets: workspace.SecretsRefuse})
	ws := agentOf(t, svc, "a")
	for _, text := range []string{"hunter2", "x", "hunter2 hunter2"} {
		write(t, ws, "f", text)
	}
	r, err := ws.RedactFile(t.Context(), "f", workspace.RedactFileOptions{Text: "hunter2"})
	testkit.Must(t, err)
	same(t, "RedactFile", r, workspace.FileRedaction{Path: "f", Version: 4, Replaced: 2, Versions: []int64{1, 3}})
	if got := string(read(t, ws, "f", workspace.ReadOptions{}).Content); got != "[redacted] [redacted]" {
		t.Errorf("the current version is %q", got)
	}
	_, err = ws.RedactFile(t.Context(), "f", workspace.RedactFileOptions{Text: "hunter2"})
	if wantErr(t, "again", err, workspace.ErrConflict, "redact f: no version that is kept has the text"); strings.Contains(err.Error(), "hunter") {
		t.Errorf("the error has the text: %v", err)
	}
	_, err = ws.RedactFile(t.Context(), "no", workspace.RedactFileOptions{})
	wantErr(t, "no file", err, workspace.ErrNotFound, "redact no: ")
	verifyOwner(t, store, "a")
}

// RedactFile reaches what is kept of a deleted file.
func TestRedactDeletedFile(t *testing.T) {
	svc, store := newService(t, workspace.Options{KeepDeleted: time.Hour})
	ws := agentOf(t, svc, "a")
	for _, text := range []string{token(1), "x", token(2)} {
		write(t, ws, "f", text)
	}
	remove(t, ws, "f")
	r, err := ws.RedactFile(t.Context(), "f", workspace.RedactFileOptions{})
	testkit.Must(t, err)
	same(t, "RedactFile", r, workspace.FileRedaction{Path: "f", Versions: []int64{1, 3}})
	verifyOwner(t, store, "a")
}

// A redacted entry keeps its number, author and time. Nothing finds it.
func TestRedactEntry(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		svc := serviceOn(t, store, workspace.Options{})
		ws := agentOf(t, svc, "a").As(workspace.Author{Client: "c"})
		appendLog(t, ws, "l", "one", "two "+token(1), "three")
		before := readLog(t, ws, "l", workspace.ReadLogOptions{})
		cursor := changes(t, ws, since(0)).Cursor
		e, err := ws.RedactEntry(t.Context(), "l", 2)
		testkit.Must(t, err)
		after := readLog(t, ws, "l", workspace.ReadLogOptions{})
		got := after.Entries[1]
		if got.Content != nil || got.Redacted == nil || got.Redacted.Author.Client != "c" || got.ID != 2 || !got.Time.Equal(before.Entries[1].Time) || got.Author != before.Entries[1].Author {
			t.Errorf("the redacted entry is %+v", got)
		}
		same(t, "the answer", e, got)
		same(t, "the other entries", append(after.Entries[:1:1], after.Entries[2]), append(before.Entries[:1:1], before.Entries[2]))
		if again, err := ws.RedactEntry(t.Context(), "l", 2); err != nil || *again.Redacted != *e.Redacted {
			t.Errorf("again: %+v, %v", again, err)
		}
		if s, err := ws.Search(t.Context(), "two "+token(1), workspace.SearchOptions{}); err != nil || len(s.Hits) > 0 {
			t.Errorf("Search finds %+v, %v", s.Hits, err)
		}
		if u := usage(t, ws); u.Entries != 3 || u.Bytes != 8 {
			t.Errorf("the usage is %+v, want 3 entries of 8 bytes", u)
		}
		log := changes(t, ws, workspace.ChangesOptions{Since: cursor, Diffs: true})
		if len(log.Paths) != 1 || log.Paths[0].Op != workspace.OpRedact || log.Paths[0].Entries != 0 {
			t.Errorf("the changes are %+v", log.Paths)
		}
		for n, says := range map[int64]string{4: "there is no entry 4, the log has entries 1 to 3", 0: "the entry is 0, the least is 1"} {
			if _, err := ws.RedactEntry(t.Context(), "l", n); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("entry %d: %v, want %q", n, err, says)
			}
		}
		if body := string(after.AppendLines(nil)); body != "[1,0,\"one\"]\n[2,0,null]\n[3,0,\"three\"]" {
			t.Errorf("the lines are %s", body)
		}
		_, err = ws.RedactEntry(t.Context(), "no", 1)
		wantErr(t, "no log", err, workspace.ErrNotFound, "redact entry of log no: there is no such log")
		verifyOwner(t, store, "a")
	})
}

// StoredSecrets finds what is in versions, deleted files and logs of every agent and tenant.
func TestStoredSecrets(t *testing.T) {
	svc, store := newService(t, workspace.Options{KeepDeleted: time.Hour})
	other, err := svc.Tenant("acme", workspace.StoreLimits{})
	testkit.Must(t, err)
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", token(1))
	write(t, ws, "f", "none")
	write(t, ws, "gone", "\n"+token(2))
	remove(t, ws, "gone")
	appendLog(t, agentOf(t, other, "b"), "l", "none", "x\n\n"+token(3)+" "+token(4))
	write(t, ws, "redacted", token(5))
	testkit.Must(t, testkit.Err(ws.RedactFile(t.Context(), "redacted", workspace.RedactFileOptions{})))
	var got []string
	testkit.Must(t, workspace.StoredSecrets(t.Context(), store, func(s workspace.StoredSecret) {
		got = append(got, fmt.Sprint(s.Tenant, " ", s.Agent, " ", s.Path, " ", s.Version, " ", s.Entry, " ", s.Line, " ", s.Kind))
	}))
	same(t, "StoredSecrets", got, []string{"acme b l 0 2 3 GitHub token", "acme b l 0 2 3 GitHub token", "local a f 1 0 1 GitHub token", "local a gone 1 0 2 GitHub token"})
}
