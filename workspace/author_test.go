package workspace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A version and an entry keep their author. What a client says about itself is cut to 256
// bytes of valid text.
func TestAuthor(t *testing.T) {
	plain := newWorkspace(t, workspace.Options{})
	for _, test := range []struct{ given, want workspace.Author }{
		{workspace.Author{}, workspace.Author{}},
		{workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}, workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}},
		{workspace.Author{Client: strings.Repeat("x", 256)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Client: strings.Repeat("x", 9999)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Version: strings.Repeat("日", 100)}, workspace.Author{Version: strings.Repeat("日", 85)}},
		{workspace.Author{Key: "a\xffb"}, workspace.Author{Key: "a\uFFFDb"}},
		{workspace.Author{Client: "a\x00b", Session: "\x00"}, workspace.Author{Client: "a\uFFFDb"}},
	} {
		ws := plain.As(test.given)
		write(t, ws, "f", "x")
		appendLog(t, ws, "l", "x")
		h, err := plain.History(t.Context(), "f")
		if err != nil || h[len(h)-1].Author != test.want {
			t.Errorf("the version's author is %+v, %v, want %+v", h[len(h)-1].Author, err, test.want)
		}
		if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != test.want {
			t.Errorf("the file's author is %+v, want %+v", r.Author, test.want)
		}
		if page := readLog(t, plain, "l", workspace.ReadLogOptions{Tail: 1}); page.Entries[0].Author != test.want {
			t.Errorf("the entry's author is %+v, want %+v", page.Entries[0].Author, test.want)
		}
	}
	write(t, plain, "f", "x")
	if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != (workspace.Author{}) {
		t.Errorf("the author is %+v, want none: As leaves the workspace as it was", r.Author)
	}
}

// Times of a path never go back, whatever the clock does.
func TestTimesNeverGoBack(t *testing.T) {
	clock := testkit.NewClock()
	ws := newWorkspace(t, workspace.Options{Now: clock.Now})
	for _, step := range []time.Duration{0, time.Hour, -48 * time.Hour, time.Minute, 100 * time.Hour} {
		clock.Advance(step)
		write(t, ws, "f", "x")
		appendLog(t, ws, "l", "x")
	}
	if _, err := ws.DeleteLog(t.Context(), "gone", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	h, err := ws.History(t.Context(), "f")
	if err != nil || len(h) != 5 {
		t.Fatalf("History = %+v, %v, want 5 versions", h, err)
	}
	page := readLog(t, ws, "l", workspace.ReadLogOptions{})
	for i := 1; i < 5; i++ {
		if h[i].Time.Before(h[i-1].Time) || page.Entries[i].Time.Before(page.Entries[i-1].Time) {
			t.Errorf("version %d is of %v after %v, entry %d of %v after %v, want no time before the last",
				h[i].Version, h[i].Time, h[i-1].Time, page.Entries[i].ID, page.Entries[i].Time, page.Entries[i-1].Time)
		}
	}
}
