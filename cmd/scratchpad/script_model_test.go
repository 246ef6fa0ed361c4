package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// longText is worth a summary.
var longText = "# The plan\n\n" + strings.Repeat("It moves the invoices, one table a week, and counts their rows.\n\n", 200)

func scriptLong(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(longText), 0o600))
}

// scriptModel starts a server that speaks OpenAI's API.
func scriptModel(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	server := httptest.NewServer(&fakeModel{status: status, text: args[1], asked: ts.MkAbs("asked")})
	ts.Defer(server.Close)
	ts.Setenv("MODEL", server.URL+"/v1")
}

// fakeModel answers always the same, and writes down what it is asked.
type fakeModel struct {
	status      int
	text, asked string

	mu sync.Mutex // guards the file
}

// ServeHTTP implements [http.Handler].
func (f *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	file, openErr := os.OpenFile(f.asked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil || openErr != nil {
		http.Error(w, fmt.Sprint(err, openErr), http.StatusInternalServerError)
		return
	}
	defer file.Close()
	var asked struct{ Model string }
	err = json.Unmarshal(body, &asked)
	fmt.Fprintf(file, "%s model=%s key=%q %v\n", r.URL.Path, asked.Model, r.Header.Get("Authorization"), err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	if f.status != http.StatusOK {
		fmt.Fprintf(w, `{"error":{"message":%q}}`, f.text)
		return
	}
	fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`, f.text, len(body)/4)
}
