package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestSaver(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{FileBytes: 400}})
	saver := workspace.Saver(ws, "pad.json")
	if s, err := saver.Load(t.Context()); s != nil || err != nil {
		t.Fatalf("Load() before a Save = %v, %v, want nil, nil", s, err)
	}
	text := `{"entries":{"a":{"key":"a","value":1,"createdAt":1,"updatedAt":1,"accessedAt":1,"ttl":null,"slidingTtl":false,"tags":[]}},"timestamp":1,"version":1}`
	var s pad.Snapshot
	testkit.Must(t, s.UnmarshalJSON([]byte(text)))
	for range 2 {
		testkit.Must(t, saver.Save(t.Context(), &s))
	}
	got, err := saver.Load(t.Context())
	testkit.Must(t, err)
	if b, err := got.MarshalJSON(); string(b) != text || err != nil {
		t.Errorf("Load() = %s, %v, want %s", b, err, text)
	}
	if h, err := ws.History(t.Context(), "pad.json"); len(h) != 2 || err != nil {
		t.Errorf("History() = %v, %v, want 2 versions", h, err)
	}
	testkit.Must(t, s.UnmarshalJSON([]byte(strings.Replace(text, `"value":1`, `"value":"`+strings.Repeat("x", 400)+`"`, 1))))
	if err := saver.Save(t.Context(), &s); !errors.Is(err, workspace.ErrTooLarge) || !errors.Is(err, pad.ErrPersist) {
		t.Errorf("Save() over the limit = %v, want ErrTooLarge and ErrPersist", err)
	}
	write(t, ws, "pad.json", "no snapshot")
	if _, err := saver.Load(t.Context()); !errors.Is(err, pad.ErrPersist) {
		t.Errorf("Load() of other text = %v, want ErrPersist", err)
	}
}
