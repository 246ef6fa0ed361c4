package pad_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestSaveLoad(t *testing.T) {
	p := emptyPad(t)
	testkit.Must(t, p.Set("a", 1))
	testkit.Must(t, p.Save(t.Context())) // without a Saver nothing happens
	testkit.Must(t, p.Load(t.Context()))
	if p.Len() != 1 {
		t.Errorf("Load() without a Saver left %d entries", p.Len())
	}

	saver := new(memorySaver)
	p, _ = newPad(t, pad.Options{Saver: saver})
	testkit.Must(t, p.Set("a", 1))
	testkit.Must(t, p.Load(t.Context())) // nothing was saved yet
	if p.Len() != 1 {
		t.Errorf("Load() of nothing left %d entries", p.Len())
	}
	testkit.Must(t, p.Namespace("v").Set("b", 2))
	testkit.Must(t, p.Namespace("v").Save(t.Context())) // acts on all
	q, _ := newPad(t, pad.Options{Saver: saver})
	testkit.Must(t, q.Set("gone", 1))
	var events []pad.Event
	keep(q, &events)
	testkit.Must(t, q.Namespace("").Load(t.Context()))
	if got := strings.Join(q.Keys(), " "); got != "a v:b" {
		t.Errorf("Keys() after Load() = %s, want a v:b", got)
	}
	if len(events) != 3 || events[0].Kind != pad.EventClear || events[2].Key != "v:b" {
		t.Errorf("Load() caused %+v, want a Clear and two Sets", events)
	}
	before, _ := saver.state()
	testkit.Must(t, p.Set("bad", func() {}))
	if err := p.Save(t.Context()); !errors.Is(err, pad.ErrPersist) || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("Save() of a func = %v, want ErrPersist that names the key", err)
	}
	if text, saves := saver.state(); text != before || saves != 1 {
		t.Errorf("a Save() that failed called the Saver")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Delete("bad")
	if err := p.Save(ctx); err != nil {
		t.Errorf("Save() with nobody to wait for = %v", err) // the Saver decides
	}
}

// Save refuses text that JSON would change.
func TestSaveOfWhatIsNoText(t *testing.T) {
	for _, v := range []any{"a\xffb", []string{"ok", "\xff"}, map[string]string{"\xff": "x"}} {
		q := &slowestSaver{}
		p, _ := newPad(t, pad.Options{Saver: q})
		_ = p.Set("bad one", v)
		if err := p.Save(t.Context()); err == nil || !strings.Contains(err.Error(), "bad one") || q.saves.Load() != 0 {
			t.Errorf("Save of %q = %v, want an error that names the key", v, err)
		}
	}
	q := &slowestSaver{}
	p, _ := newPad(t, pad.Options{Saver: q})
	_ = p.Set("good", "\ufffd \\ufffd \\\\ufffd")
	if err := p.Save(t.Context()); err != nil || q.saves.Load() != 1 {
		t.Errorf("Save of a replacement character = %v, want none", err)
	}
}

func TestClose(t *testing.T) {
	p, c := newPad(t, pad.Options{Saver: new(memorySaver)})
	testkit.Must(t, p.Set("k", 1))
	testkit.Must(t, p.SetWith("dead", 1, fixed(ms)))
	c.Advance(ms)
	p.On(pad.EventSet, func(e pad.Event) { t.Errorf("told of %+v", e) })
	p.On(pad.EventExpire, func(e pad.Event) { t.Errorf("told of %+v", e) })
	s := p.Snapshot()
	testkit.Must(t, p.Namespace("v").Close(t.Context())) // acts on all
	testkit.Must(t, p.Close(t.Context()))
	for what, err := range map[string]error{
		"Set":     p.Set("k", 2),
		"Set new": p.Namespace("v").Set("n", 2),
		"Update":  pad.Update(p, "k", func(int, bool) (int, error) { return 2, nil }),
		"Restore": p.Restore(s),
		"Load":    p.Load(t.Context()),
	} {
		if !errors.Is(err, pad.ErrClosed) {
			t.Errorf("%s after Close() = %v, want ErrClosed", what, err)
		}
	}
	if p.Delete("k") || p.Clear() != 0 || p.Sweep() != 0 {
		t.Error("something was removed after Close()")
	}
	if got, ok := p.Get("k"); got != 1 || !ok || p.Has("dead") || p.Len() != 1 || p.Snapshot().Len() != 1 || p.Stats().RawSize != 2 {
		t.Errorf("after Close() Get() = %v, %v; %+v", got, ok, p.Stats())
	}
	testkit.Must(t, p.Save(t.Context())) // what the Close may have failed to save
	f := p.Fork()                        // is another pad
	testkit.Must(t, f.Set("k", 2))
}

func TestNoSaveAfterAFailedLoad(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		saver.set(func(m *memorySaver) { m.text = []byte("damaged") })
		if err := p.Load(context.Background()); !errors.Is(err, pad.ErrPersist) {
			t.Fatalf("Load() = %v, want ErrPersist", err)
		}
		if err := p.Save(context.Background()); !errors.Is(err, pad.ErrPersist) {
			t.Errorf("Save() = %v, want ErrPersist", err)
		}
		testkit.Must(t, p.Set("a", 1))
		pass(time.Minute)
		if text, saves := saver.state(); text != "damaged" || saves != 0 || len(*errs) != 1 {
			t.Fatalf("after a failed Load %d saves of %s; errors %v", saves, text, *errs)
		}
		saver.set(func(m *memorySaver) { m.text = []byte(fromNPM) })
		testkit.Must(t, p.Load(context.Background()))
		testkit.Must(t, p.Set("new", 1))
		pass(time.Minute)
		if text, _ := saver.state(); !strings.Contains(text, `"new"`) || !strings.Contains(text, "<s>") {
			t.Errorf("after a good Load kept %s", text)
		}
	})
}

// slowSaver waits in Load after it has read, so that a save may come between.
type slowSaver struct{ memorySaver }

func (s *slowSaver) Load(ctx context.Context) (*pad.Snapshot, error) {
	snapshot, err := s.memorySaver.Load(ctx)
	time.Sleep(time.Minute)
	return snapshot, err
}

func TestSaveBesideALoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saver := new(slowSaver)
		saver.text = []byte(fromNPM)
		p, err := pad.New(pad.Options{Saver: saver, AutoSave: time.Second, OnError: func(err error) { t.Error(err) }})
		testkit.Must(t, err)
		testkit.Must(t, p.Set("mine", 1))
		testkit.Must(t, p.Load(context.Background()))
		pass(time.Minute)
		if text, saves := saver.state(); text != fromNPM || saves != 0 {
			t.Errorf("%d saves beside a Load, of %s", saves, text)
		}
		testkit.Must(t, p.Close(context.Background()))
	})
}
