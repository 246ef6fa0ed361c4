package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
)

// assets are the stylesheet, the script and the icon. Their addresses have a hash of the bytes
// of all, so a browser may keep them for ever. They are safe for concurrent use.
type assets struct {
	files fs.FS
	sum   string
}

// readAssets returns the assets in the folder static.
func readAssets(from fs.FS) (*assets, error) {
	sum := sha256.New()
	for _, name := range []string{"style.css", "script.js", "icon.svg"} {
		body, err := fs.ReadFile(from, "static/"+name)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		_, _ = sum.Write(body) // never fails
	}
	return &assets{from, hex.EncodeToString(sum.Sum(nil)[:8])}, nil
}

// url returns the address of an asset by its name, such as "style.css".
func (a *assets) url(name string) string { return "/static/" + name + "?v=" + a.sum }

// ServeHTTP implements [http.Handler].
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("v") == a.sum {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, a.files, "static/"+r.PathValue("name"))
}

// icon answers browsers that look for an icon of what is no page, such as a raw file.
func (a *assets) icon(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, a.files, "static/icon.svg")
}
