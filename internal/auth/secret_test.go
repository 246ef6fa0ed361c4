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

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// No byte of the database, of its log, of an error or of what a method returns gives a
// secret back, in any form.
func TestNothingGivesASecretBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "keys.db"), sqlite.Options{Logger: logger})
	testkit.Must(t, err)
	keys := auth.NewKeys(s, auth.Options{})
	key, first := create(t, keys, grant(t, "*"))
	_, second, err := keys.Rotate(t.Context(), key.ID, time.Hour)
	testkit.Must(t, err)
	caller := accepted(t, keys, first)
	accepted(t, keys, second)
	shown, err := keys.Show(t.Context(), key.ID)
	testkit.Must(t, err)
	_, verr := keys.Verify(t.Context(), first+"x")
	_, serr := keys.Show(t.Context(), first)
	fmt.Fprintf(&log, "%+v %#v %+v %v %v", caller, shown, shown, verr, serr)
	testkit.Must(t, keys.Close(t.Context()))

	scan := func(when string) {
		files := readDir(t, dir)
		for name, text := range map[string]string{"first": first, "second": second} {
			for form, b := range forms(text[12:55]) {
				if bytes.Contains(log.Bytes(), b) {
					t.Errorf("%s: the log or a result has the %s secret as %s", when, name, form)
				}
				if bytes.Contains(files, b) {
					t.Errorf("%s: a file has the %s secret as %s", when, name, form)
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
	for part, text := range map[string]string{"whole": secret, "first half": secret[:21], "second half": secret[21:]} {
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
	files, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, f := range files {
		all = append(all, testkit.ReadFile(t, filepath.Join(dir, f.Name()))...)
	}
	return all
}
