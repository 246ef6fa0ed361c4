package guide_test

import (
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// imageBytes is how large an image may be. Every clone has all of them.
const imageBytes = 80_000

var (
	imageLine = regexp.MustCompile(`<img .*>|<source .*>|!\[.*\]\(.*\)`)
	imageName = regexp.MustCompile(`(?:src|srcset)="([^"]*)"`)
	imageAlt  = regexp.MustCompile(`^<img .* alt="[^"]{20,}">$`)
)

// The images that the README and the guides name are there, small, and told in words. There
// are no others.
func TestImages(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	testkit.Must(t, err)
	var named []string
	for _, page := range append(pages, "../../README.md") {
		for _, line := range imageLine.FindAllString(testkit.ReadFile(t, page), -1) {
			m := imageName.FindStringSubmatch(line)
			if m == nil || line[1] == 'i' && !imageAlt.MatchString(line) {
				t.Errorf("%s: an image has an address in src or srcset, and words in alt: %s", page, line)
				continue
			}
			file := filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			named = append(named, filepath.Base(file))
			checkImage(t, page, file)
		}
	}
	all, err := filepath.Glob("../images/*")
	testkit.Must(t, err)
	if len(all) == 0 {
		t.Error("there are no images")
	}
	for _, file := range all {
		if !slices.Contains(named, filepath.Base(file)) {
			t.Errorf("no page shows %s", file)
		}
	}
}

func checkImage(t *testing.T, page, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Errorf("%s: %v", page, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	testkit.Must(t, err)
	if _, err := png.DecodeConfig(f); err != nil || info.Size() > imageBytes {
		t.Errorf("%s: %s: %v, %d bytes, want a PNG of at most %d", page, file, err, info.Size(), imageBytes)
	}
}
