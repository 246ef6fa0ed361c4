package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// module is the folder of Scratchpad's own module, and clients that of package-lock.json.
var module, clients = filepath.Join("..", "..", ".."), ".."

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv("SCRATCHPAD_TEST") == "" { // this module is not part of the plain run
		if err := os.Setenv("SCRATCHPAD_TEST", "all"); err != nil {
			fmt.Fprintln(os.Stderr, "browser:", err)
			return 1
		}
	}
	defer func() { closeBrowser() }()
	return m.Run()
}

// buildProgram builds scratchpad when the first test needs it.
var buildProgram = sync.OnceValues(func() (string, error) { return process.Build(module) })

// program returns the path of the real binary.
func program(t testing.TB) string {
	t.Helper()
	path, err := buildProgram()
	must(t, err)
	return path
}

// axeSource returns the script of axe-core, which npm installs.
var axeSource = sync.OnceValues(func() (string, error) {
	if err := process.InstallNPM(clients); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(clients, "node_modules", "axe-core", "axe.min.js"))
	return string(text), err
})

// The one browser of the test binary. It starts with the first page.
var (
	theBrowser   context.Context
	closeBrowser = func() {}
	startBrowser = sync.OnceValue(func() error {
		path, err := findBrowser()
		if err != nil {
			return err
		}
		allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), browserOptions(path)...)
		ctx, closeFirst := chromedp.NewContext(allocator)
		theBrowser, closeBrowser = ctx, func() {
			// A browser that does not close within the time is killed, with its children.
			limited, done := context.WithTimeout(ctx, 10*time.Second)
			defer done()
			_ = chromedp.Cancel(limited)
			closeFirst()
			closeAllocator()
		}
		return chromedp.Do(ctx)
	})
)

func findBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("chromium is missing; install it (Debian: apt-get install -y chromium), and run this again")
}

// browserOptions are for a browser without a window that asks nobody on the network but
// the loopback interface.
func browserOptions(path string) []chromedp.ExecAllocatorOption {
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	return append(options,
		chromedp.ExecPath(path),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-popup-blocking", false),
		chromedp.Flag("host-resolver-rules", "MAP "+foreignName+" 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]"),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("lang", "en-US"),
	)
}

func must(t testing.TB, err error) {
	t.Helper()
	testkit.Must(t, err)
}
