package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A method is one of the API, in the SDK for Go.
type method func(ctx context.Context, id string, params m) (any, error)

// A golang is the SDK for Go: its methods, by name.
type golang map[string]method

func newGo(_ *testing.T, base, key string) client {
	c := anthropic.NewClient(option.WithBaseURL(base), option.WithAPIKey(key))
	s, ms, vs := &c.Beta.MemoryStores, &c.Beta.MemoryStores.Memories, &c.Beta.MemoryStores.MemoryVersions
	return golang{
		"create": plain(s.New), "retrieve": named(s.Get), "update": named(s.Update), "delete": named(s.Delete), "archive": named(s.Archive),
		"list": plain(s.List), "all": plainPages(s.ListAutoPaging),
		"memories.create": named(ms.New), "memories.retrieve": named(ms.Get), "memories.update": named(ms.Update), "memories.delete": named(ms.Delete),
		"memories.list": named(ms.List), "memories.all": pages(ms.ListAutoPaging),
		"memoryVersions.retrieve": named(vs.Get), "memoryVersions.redact": named(vs.Redact),
		"memoryVersions.list": named(vs.List), "memoryVersions.all": pages(vs.ListAutoPaging),
	}
}

// named is a method that takes an id before its parameters, and plain one that does not.
func named[P, R, O any](f func(context.Context, string, P, ...O) (R, error)) method {
	return func(ctx context.Context, id string, params m) (any, error) {
		p, err := build[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, id, p)
	}
}

func plain[P, R, O any](f func(context.Context, P, ...O) (R, error)) method {
	return named(func(ctx context.Context, _ string, p P, o ...O) (R, error) { return f(ctx, p, o...) })
}

// pages is a method that returns the items of all pages. plainPages takes no id.
func pages[P, R, O any](f func(context.Context, string, P, ...O) R) method {
	open := named(func(ctx context.Context, id string, p P, o ...O) (R, error) { return f(ctx, id, p, o...), nil })
	return func(ctx context.Context, id string, params m) (any, error) {
		got, err := open(ctx, id, params)
		if err != nil {
			return nil, err
		}
		pager, items := got.(interface {
			Next() bool
			Err() error
		}), []any{}
		current := reflect.ValueOf(got).MethodByName("Current") // its type is that of the items
		for pager.Next() {
			items = append(items, current.Call(nil)[0].Interface())
		}
		return items, pager.Err()
	}
}

func plainPages[P, R, O any](f func(context.Context, P, ...O) R) method {
	return pages(func(ctx context.Context, _ string, p P, o ...O) R { return f(ctx, p, o...) })
}

func (g golang) call(t *testing.T, name, id string, params m) (any, *fault) {
	t.Helper()
	f := g[name]
	if f == nil {
		t.Fatalf("no method %s", name)
	}
	got, err := f(t.Context(), id, params)
	if err != nil {
		var e *anthropic.Error
		if !errors.As(err, &e) { // without an answer
			return nil, &fault{Class: err.Error()}
		}
		found := &fault{Status: e.StatusCode, Type: string(e.Type()), Request: e.RequestID}
		if err := json.Unmarshal([]byte(e.RawJSON()), &found.Body); err != nil {
			t.Errorf("%s: the body of the error %q: %v", name, e.RawJSON(), err)
		}
		return nil, found
	}
	if list, ok := got.([]any); ok {
		for i := range list {
			list[i] = decoded(t, name, list[i])
		}
		return list, nil
	}
	return decoded(t, name, got), nil
}

// build makes the parameters of a method from their names on the wire.
func build[P any](params m) (p P, err error) {
	v, left := reflect.ValueOf(&p).Elem(), map[string]any{}
	for name, value := range params {
		f := member(v, name)
		if !f.IsValid() {
			return p, fmt.Errorf("%T has no field for %s", p, name)
		}
		if list, ok := value.(m); ok && f.Kind() == reflect.Map { // null is for a field that the map cannot have
			for _, each := range list {
				if each == nil {
					left[name] = value
				}
			}
			if left[name] != nil {
				continue
			}
		}
		text, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(text, f.Addr().Interface())
		}
		if err != nil {
			return p, fmt.Errorf("%s of %T: %w", name, p, err)
		}
	}
	if extra, ok := any(&p).(interface{ SetExtraFields(map[string]any) }); ok && len(left) > 0 {
		extra.SetExtraFields(left)
	}
	return p, nil
}

// member returns the field that has a name on the wire.
func member(v reflect.Value, name string) reflect.Value {
	if name == "betas" { // TypeScript's name of the header
		name = "anthropic-beta"
	}
	for i := range v.NumField() {
		for _, key := range []string{"json", "query", "path", "header"} {
			if have, _, _ := strings.Cut(v.Type().Field(i).Tag.Get(key), ","); have == name {
				return v.Field(i)
			}
		}
	}
	return reflect.Value{}
}

// decoded returns an answer as JSON, and checks that the SDK has put each of its members
// into a field.
func decoded(t *testing.T, name string, got any) any {
	t.Helper()
	raw := got.(interface{ RawJSON() string }).RawJSON()
	var want m
	if err := json.Unmarshal([]byte(raw), &want); err != nil {
		t.Fatalf("%s: the answer %q: %v", name, raw, err)
	}
	v := reflect.Indirect(reflect.ValueOf(got))
	for key, value := range want {
		f := member(v, key)
		if !f.IsValid() {
			t.Errorf("%s: the SDK does not know %s in %s", name, key, raw)
			continue
		}
		if value == nil || f.Kind() == reflect.Slice { // of a page, whose items are checked as such
			continue
		}
		text, err := json.Marshal(f.Interface())
		if u, ok := f.Interface().(interface{ RawJSON() string }); ok {
			text = []byte(u.RawJSON())
		}
		var have any
		if err == nil {
			err = json.Unmarshal(text, &have)
		}
		if at, ok := f.Interface().(time.Time); ok {
			if instant, bad := time.Parse(time.RFC3339, fmt.Sprint(value)); bad == nil && instant.Equal(at) {
				have = value
			}
		}
		if diff := cmp.Diff(value, have); diff != "" || err != nil {
			t.Errorf("%s: %s of the answer %s became %s (%v)", name, key, raw, text, err)
		}
	}
	return want
}

// A typescript is the SDK for TypeScript, in a process of Node.
type typescript struct {
	in  io.Writer
	out *json.Decoder
	key string
}

func newTypeScript(t *testing.T, base, key string) client {
	c := &typescript{key: key}
	c.in, c.out = startNode(t, "client.mjs", base)
	return c
}

// startNode runs a script that answers lines of standard input.
func startNode(t *testing.T, args ...string) (io.Writer, *json.Decoder) {
	t.Helper()
	cmd := exec.Command(nodePath, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "NODE_OPTIONS=", "NO_PROXY=127.0.0.1,localhost")
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("node %q: %v", args, err)
		}
	})
	return in, json.NewDecoder(out)
}

func (c *typescript) call(t *testing.T, name, id string, params m) (any, *fault) {
	t.Helper()
	if params == nil {
		params = m{}
	}
	testkit.Must(t, json.NewEncoder(c.in).Encode(m{"apiKey": c.key, "method": name, "id": id, "params": params}))
	var answer struct {
		Result any
		Fault  *fault
	}
	testkit.Must(t, c.out.Decode(&answer))
	return answer.Result, answer.Fault
}
