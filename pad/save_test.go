package pad_test

import (
	"context"
	"errors"
	"strings"
	"sync"
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

// memorySaver keeps the JSON of what was saved last.
type memorySaver struct {
	mu    sync.Mutex // guards all
	text  []byte
	saves int
	err   error // of Load and Save
	panic any
}

func (m *memorySaver) Load(context.Context) (*pad.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panic != nil {
		panic(m.panic)
	}
	if m.err != nil || m.text == nil {
		return nil, m.err
	}
	s := new(pad.Snapshot)
	return s, s.UnmarshalJSON(m.text)
}

func (m *memorySaver) Save(_ context.Context, s *pad.Snapshot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	if m.panic != nil {
		panic(m.panic)
	}
	if m.err != nil {
		return m.err
	}
	text, err := s.MarshalJSON()
	if err == nil {
		m.text = text
	}
	return err
}

func (m *memorySaver) set(f func(m *memorySaver)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m)
}

func (m *memorySaver) state() (text string, saves int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.text), m.saves
}

// autoSave runs a test in fake time with a pad that saves 1 s after a change.
func autoSave(t *testing.T, run func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		saver, errs := new(memorySaver), new([]error)
		p, err := pad.New(pad.Options{Saver: saver, AutoSave: time.Second, OnError: func(err error) { *errs = append(*errs, err) }})
		testkit.Must(t, err)
		defer p.Close(context.Background())
		run(t, p, saver, errs)
	})
}

// pass lets time pass, and waits for everything that it causes.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAutoSave(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		testkit.Must(t, p.Set("a", 1))
		pass(999 * time.Millisecond)
		if _, saves := saver.state(); saves != 0 {
			t.Errorf("%d saves before the quiet time", saves)
		}
		testkit.Must(t, p.Set("b", 1)) // puts it off
		pass(999 * time.Millisecond)
		if _, saves := saver.state(); saves != 0 {
			t.Errorf("%d saves before the quiet time after the second change", saves)
		}
		pass(time.Millisecond)
		if text, saves := saver.state(); saves != 1 || !strings.Contains(text, `"b"`) {
			t.Errorf("%d saves after the quiet time, of %s, want one with b", saves, text)
		}
		pass(time.Hour)
		p.Get("a")
		p.Peek("a")
		pass(time.Hour)
		if _, saves := saver.state(); saves != 1 || len(*errs) > 0 {
			t.Errorf("%d saves, want no more without a change; errors %v", saves, *errs)
		}
	})
}

func TestAutoSaveIsNotPutOffForEver(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		for i := range 105 {
			testkit.Must(t, p.Set("a", i))
			pass(100 * time.Millisecond)
			_, saves := saver.state()
			if late := i >= 99; (saves > 0) != late {
				t.Fatalf("%d saves %v after the first change, want the first at 10 s", saves, time.Duration(i+1)*100*time.Millisecond)
			}
		}
	})
}

func TestAutoSaveOfEveryChange(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		testkit.Must(t, p.Save(context.Background()))
		ttl := pad.SetOptions{TTL: time.Second / 2}
		view := p.Namespace("v")
		for name, change := range map[string]func(){
			"set":    func() { p.Set("a", 1) },
			"update": func() { pad.Update(p, "a", func(int, bool) (int, error) { return 2, nil }) },
			"delete": func() { p.Set("d", 1); p.Delete("d") },
			"clear":  func() { view.Clear() },
			"expire": func() { p.SetWith("x", 1, ttl); p.Save(context.Background()); pass(time.Second); p.Get("x") },
			"sweep":  func() { p.SetWith("x", 1, ttl); p.Save(context.Background()); pass(time.Second); p.Sweep() },
			"restore": func() {
				if err := p.Restore(p.Snapshot()); err != nil {
					t.Error(err)
				}
			},
		} {
			change()
			_, before := saver.state()
			pass(time.Second)
			if _, after := saver.state(); after != before+1 {
				t.Errorf("%s: %d saves in the quiet time, want one", name, after-before)
			}
			pass(time.Minute)
		}
	})
}

func TestAutoSaveTriesAgain(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		testkit.Must(t, p.Load(context.Background()))
		broken := errors.New("no disk")
		saver.set(func(m *memorySaver) { m.err = broken })
		testkit.Must(t, p.Set("a", 1))
		pass(time.Hour)
		if _, saves := saver.state(); saves != 1 || len(*errs) != 1 || !errors.Is((*errs)[0], broken) || !errors.Is((*errs)[0], pad.ErrPersist) {
			t.Fatalf("%d saves, errors %v, want one of each, ErrPersist", saves, *errs)
		}
		testkit.Must(t, p.Set("b", 1))
		pass(time.Second)
		if _, saves := saver.state(); saves != 2 || len(*errs) != 2 {
			t.Fatalf("%d saves, errors %v after the next change", saves, *errs)
		}
		saver.set(func(m *memorySaver) { m.err, m.panic = nil, "sorry" })
		testkit.Must(t, p.Set("c", 1))
		pass(time.Second)
		if len(*errs) != 3 || !errors.Is((*errs)[2], pad.ErrPersist) || !strings.Contains((*errs)[2].Error(), "sorry") {
			t.Fatalf("errors %v, want the panic as the third", *errs)
		}
		saver.set(func(m *memorySaver) { m.panic = nil })
		testkit.Must(t, p.Close(context.Background()))
		if text, _ := saver.state(); !strings.Contains(text, `"a"`) || !strings.Contains(text, `"c"`) {
			t.Errorf("Close saved %s, want what failed before", text)
		}
	})
}

// Auto-save does not replace a saved pad that was not loaded. Save does.
func TestAutoSaveOverSomethingElse(t *testing.T) {
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		saver.set(func(m *memorySaver) { m.text = []byte(fromNPM) })
		testkit.Must(t, p.Set("mine", 1))
		pass(time.Hour)
		if text, saves := saver.state(); text != fromNPM || saves != 0 || len(*errs) != 1 || !errors.Is((*errs)[0], pad.ErrPersist) {
			t.Fatalf("saved %s over what nobody loaded; errors %v", text, *errs)
		}
		if err := p.Close(context.Background()); !errors.Is(err, pad.ErrPersist) {
			t.Errorf("Close() = %v, want ErrPersist", err)
		}
		if text, _ := saver.state(); text != fromNPM {
			t.Errorf("Close saved %s over what nobody loaded", text)
		}
	})
	autoSave(t, func(t *testing.T, p *pad.Pad, saver *memorySaver, errs *[]error) {
		saver.set(func(m *memorySaver) { m.text = []byte(fromNPM) })
		testkit.Must(t, p.Set("mine", 1))
		testkit.Must(t, p.Save(context.Background()))
		if text, _ := saver.state(); !strings.Contains(text, "mine") {
			t.Errorf("Save() kept %s", text)
		}
		testkit.Must(t, p.Set("more", 1))
		pass(time.Second)
		if text, _ := saver.state(); !strings.Contains(text, "more") || len(*errs) > 0 {
			t.Errorf("after Save() auto-save kept %s; errors %v", text, *errs)
		}
	})
}
