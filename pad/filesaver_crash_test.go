package pad_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// saveForever saves a growing number, and prints each one that was saved.
func saveForever(path string) {
	p, err := pad.New(pad.Options{Saver: pad.FileSaver(path)})
	for i := 0; err == nil; i++ {
		p.Set("n", i)
		p.Set("much", strings.Repeat(strconv.Itoa(i), 20_000))
		if err = p.Save(context.Background()); err == nil {
			fmt.Println(i)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// If the process is killed at any moment, the file is complete, and not older than the
// last Save that returned.
func TestFileSaverKilled(t *testing.T) {
	testkit.SkipInShort(t)
	exe, err := os.Executable()
	testkit.Must(t, err)
	for range testkit.Pick(3, 20, 40) {
		dir := t.TempDir()
		path := filepath.Join(dir, "pad.json")
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), roleVariable+"="+path)
		out, err := cmd.StdoutPipe()
		testkit.Must(t, err)
		testkit.Must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		last := -1
		if lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		cmd.Wait()
		p := filePad(t, path)
		testkit.Must(t, p.Load(t.Context()))
		n, err := pad.Get[int](p, "n")
		if much, _ := p.Get("much"); err != nil || n < last || n > last+1 || much != strings.Repeat(strconv.Itoa(n), 20_000) {
			t.Fatalf("loaded %d, %v after a kill, %d was saved", n, err, last)
		}
		testkit.Must(t, p.Save(t.Context())) // the temporary file of the killed process does no harm
	}
}
