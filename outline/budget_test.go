package outline_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// realFiles are of different kinds, of the Go distribution and of this module.
func realFiles(t testing.TB) []string {
	root := testkit.GoRoot(t)
	files := []string{
		"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../workspace/summary.go", "../tokens/testdata/python/train.txt", "../tokens/testdata/chinese/story.txt",
		"../tokens/testdata/other/arabic.txt", "../tokens/testdata/other/hindi.txt", "../tokens/testdata/other/russian.txt", "../tokens/testdata/other/yaml.txt", "../tokens/testdata/prose/letters.txt", "../go.sum", "../go.mod",
	}
	for _, name := range []string{
		"src/net/http/server.go", "src/runtime/proc.go", "src/syscall/zerrors_linux_amd64.go", "src/unicode/tables.go", "src/runtime/asm_amd64.s", "doc/go_spec.html", "doc/godebug.md",
		"src/cmd/vendor/golang.org/x/sys/unix/mkerrors.sh", "lib/wasm/wasm_exec.js", "api/go1.txt", "src/cmd/go/internal/modfetch/zip_sum_test/testdata/zip_sums.csv", "LICENSE", "src/make.bash",
		"src/runtime/cgo/gcc_util.c", "src/runtime/cgo/libcgo.h", "src/go/doc/headscan.go", "src/cmd/trace/testdata/../main.go", "src/net/http/pprof/pprof.go",
	} {
		if found, _ := filepath.Glob(filepath.Join(root, name)); len(found) > 0 {
			files = append(files, found...)
		}
	}
	if len(files) < 25 {
		t.Fatalf("%d files", len(files))
	}
	if testkit.Long() {
		return files
	}
	var some []string // of each kind
	for i := 0; i < len(files); i += 3 {
		some = append(some, files[i])
	}
	return some
}

// An outline of a real file keeps its budget, by the estimate and by the count,
// and says of everything that it is there, or that it is not.
func TestBudget(t *testing.T) {
	for _, file := range realFiles(t) {
		content := testkit.ReadFile(t, file)
		checkOutline(t, file, content, 600)
		for _, most := range []int{0, 40, 200, 2000} {
			text := outline.Text(file, content, most)
			if most == 0 {
				most = 600
			}
			if n, exact := tokens.Estimate(text), o200k.Count(text); n > most || exact > most {
				t.Errorf("%s: about %d tokens, %d by o200k, at most %d:\n%s", file, n, exact, most, text)
			}
		}
	}
}
