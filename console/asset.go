package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// assets are the stylesheet, the script and the icon, with a hash of their bytes in their
// names. So a browser may keep them for ever. They are safe for concurrent use.
type assets struct {
	files map[string]asset  // by the name with the hash
	urls  map[string]string // by the name without
}

// An asset is one of them.
type asset struct {
	kind string
	body []byte
}

// readAssets returns the assets in the folder static.
func readAssets(from fs.FS) (*assets, error) {
	a := &assets{files: map[string]asset{}, urls: map[string]string{}}
	for name, kind := range map[string]string{"style.css": "text/css; charset=utf-8",
		"script.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"} {
		body, err := fs.ReadFile(from, "static/"+name)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(name)
		hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:8]) + ext
		a.files[hashed] = asset{kind, body}
		a.urls[name] = "/static/" + hashed
	}
	return a, nil
}

// url returns the address of an asset by its name, such as "style.css".
func (a *assets) url(name string) string { return a.urls[name] }

// ServeHTTP implements [http.Handler].
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := a.files[r.PathValue("name")]
	if !ok {
		http.Error(w, "there is nothing here", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	if strings.HasPrefix(r.URL.Path, "/static/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(f.body) // the client may be gone
}

// icon answers browsers that look for an icon of what is no page, such as a raw file.
func (a *assets) icon(w http.ResponseWriter, r *http.Request) {
	r.SetPathValue("name", path.Base(a.urls["icon.svg"]))
	a.ServeHTTP(w, r)
}
