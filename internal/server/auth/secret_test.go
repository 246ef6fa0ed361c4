package auth_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// No byte of the database, of its log, of an error or of what a method returns gives a
// secret back, in any form.
func TestNothingGivesASecretBack(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := must(sqlite.Open(t.Context(), filepath.Join(dir, "keys.db"), sqlite.Options{Logger: logger}))(t)
	keys := auth.NewKeys(s, auth.Options{})
	key, first := create(t, keys, grant(t, "*"))
	_, second, err := keys.Rotate(t.Context(), key.ID, time.Hour)
	testkit.Must(t, err)
	caller := accepted(t, keys, first)
	accepted(t, keys, second)
	session, _ := signIn(t, keys, second)
	who := signedIn(t, keys, session)
	_, eerr := keys.Sessions().Verify(t.Context(), session+"x")
	_, _, _, berr := keys.Sessions().Begin(t.Context(), session)
	left, _ := signIn(t, keys, first)
	testkit.Must(t, keys.Sessions().End(t.Context(), left))
	bits := must(base64.RawURLEncoding.DecodeString(session[9:]))(t)
	shown := must(keys.Show(t.Context(), key.ID))(t)
	_, verr := keys.Verify(t.Context(), first+"x")
	_, serr := keys.Show(t.Context(), first)
	fmt.Fprintf(&log, "%+v %#v %+v %+v %v %v %v %v", caller, shown, shown, who, verr, serr, eerr, berr)
	testkit.Must(t, keys.Close(t.Context()))

	scan := func(when string) {
		files := readDir(t, dir)
		for name, text := range map[string]string{"first secret": first[12:55], "second secret": second[12:55], "session": session[9:], "ended session": left[9:], "session's bits": string(bits)} {
			for form, b := range forms(text) {
				if bytes.Contains(log.Bytes(), b) {
					t.Errorf("%s: the log or a result has the %s as %s", when, name, form)
				}
				if bytes.Contains(files, b) {
					t.Errorf("%s: a file has the %s as %s", when, name, form)
				}
			}
		}
		if !bytes.Contains(files, []byte(key.ID)) { // the scan must be able to find something
			t.Errorf("%s: no file has the id of the key", when)
		}
	}
	scan("open") // with its WAL
	testkit.Must(t, s.Close())
	scan("closed")
}

// forms returns the ways in which a secret may be written, and its two halves.
func forms(secret string) map[string][]byte {
	f := map[string][]byte{}
	for part, text := range map[string]string{"whole": secret, "first half": secret[:len(secret)/2], "second half": secret[len(secret)/2:]} {
		b := []byte(text)
		f[part] = b
		f[part+" in hex"] = []byte(hex.EncodeToString(b))
		f[part+" in HEX"] = bytes.ToUpper([]byte(hex.EncodeToString(b)))
		for shift := range 3 { // where it may stand in a longer text
			e := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), b...))
			f[fmt.Sprint(part, " in base64, ", shift)] = []byte(e[4 : len(e)-4])
		}
	}
	return f
}

// readDir returns what is in the files of a folder.
func readDir(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files := must(os.ReadDir(dir))(t)
	for _, f := range files {
		all = append(all, testkit.ReadFile(t, filepath.Join(dir, f.Name()))...)
	}
	return all
}
