package browser

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

// imagesVariable makes TestImages write the images of the documentation.
const imagesVariable = "SCRATCHPAD_IMAGES"

// imageBytes is how large an image of the documentation may be, as in docs/guide.
const imageBytes = 80_000

// The window of the images, in CSS pixels, and how many pixels of an image make one: GitHub
// shows images about 840 CSS pixels wide, on screens of any kind.
const (
	imageWidth = 1040
	imageScale = 1.5
)

// images are the pages that the documentation shows. Each has an image in light and one in
// dark.
var images = []struct {
	name, path string
	height     int64 // of the window
	see        string
}{
	{"agents", "/?order=activity", 650, "shop-move"},
	{"agent", "/a/shop-move", 650, "runbook"},
	{"compare", "/a/shop-move/files/plan.md?view=compare&a=3&b=4&as=split&context=1", 800, "Delete the old servers"},
	{"log", "/a/shop-move/logs/checks", 650, "web-07 has a new disk"},
}

// TestImages takes the images of the documentation: a console over a memory that is the
// same in each run. With SCRATCHPAD_IMAGES=update it writes them, in few colours. Without it
// the images must have as many pixels as those that are there; with other fonts they are not
// the same.
func TestImages(t *testing.T) {
	t.Parallel()
	link := tellStory(t)
	origin, _, _ := strings.Cut(link, "/signin")
	p := open(t, origin, view{})
	p.stopClock()
	p.visit(link)
	p.find("heading", "Agents")
	for _, dark := range []bool{false, true} {
		p.look(view{width: imageWidth, dark: dark})
		for _, i := range images {
			call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: imageWidth, Height: i.height, DeviceScaleFactor: imageScale})
			p.visit(i.path)
			p.see(i.see)
			name := "console-" + i.name
			if dark {
				name += "-dark"
			}
			checkImage(t, name+".png", p.image())
		}
	}
}

// stopClock stops the clock of the browser at the time of the story, and lets it write times
// as in Britain: one sees the same in each run.
func (p *tab) stopClock() {
	p.t.Helper()
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(
		`{ const now = %d, Clock = Date; Date = class extends Clock { constructor(...a) { super(...(a.length ? a : [now])); } static now() { return now; } }; }`,
		storyNow.UnixMilli())})
	call(p, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-GB"})
}

// image returns what the window shows.
func (p *tab) image() []byte {
	p.t.Helper()
	return call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data
}

// inFewColours returns a small form of an image.
func inFewColours(t *testing.T, data []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(data))
	must(t, err)
	var small bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduce(full, 128)))
	return small.Bytes()
}

// checkImage writes an image, or compares its size with the one that is there.
func checkImage(t *testing.T, name string, data []byte) {
	t.Helper()
	file := filepath.Join(module, "docs", "images", name)
	if os.Getenv(imagesVariable) == "update" {
		data = inFewColours(t, data)
		if len(data) > imageBytes {
			t.Errorf("%s has %d bytes, limit %d", name, len(data), imageBytes)
		}
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, data, 0o644))
		return
	}
	old, err := os.ReadFile(file)
	must(t, err)
	got, err := png.DecodeConfig(bytes.NewReader(old))
	must(t, err)
	want, err := png.DecodeConfig(bytes.NewReader(data))
	must(t, err)
	if got.Width != want.Width || got.Height != want.Height {
		t.Errorf("%s has %d by %d pixels, want %d by %d; write it again with %s=update", name, got.Width, got.Height, want.Width, want.Height, imagesVariable)
	}
}
