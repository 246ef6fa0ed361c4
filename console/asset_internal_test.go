package console

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Other bytes have another address. Browsers may keep them.
func TestAssets(t *testing.T) {
	addresses := map[string]bool{}
	for _, style := range []string{"a {}", "b {}"} {
		all, err := readAssets(fstest.MapFS{"static/style.css": {Data: []byte(style)}, "static/script.js": {}, "static/icon.svg": {}})
		testkit.Must(t, err)
		mux := http.NewServeMux()
		mux.Handle("GET /static/{name}", all)
		address := all.url("style.css")
		addresses[address] = true
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Body.String() != style || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %s %v", address, w.Body, w.Header())
		}
	}
	if len(addresses) != 2 {
		t.Errorf("two stylesheets have the addresses %v", addresses)
	}
}
