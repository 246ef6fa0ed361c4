package ha

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

// A memory is what the Memory Stores API says of a store, a memory or an error. A page has
// its items in Data.
type memory struct {
	ID      string
	Path    string
	Content string
	SHA256  string `json:"content_sha256"`
	Data    []memory
	Next    *string `json:"next_page"`
	Error   struct{ Type, Message string }
}

// rest sends a request to the Memory Stores API. An error of it is a refusal.
func (c *client) rest(ctx context.Context, s *server, method, below string, body any) (got memory, err error) {
	text := ""
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return got, err
		}
		text = string(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+"/v1/memory_stores"+below, strings.NewReader(text))
	if err != nil {
		return got, err
	}
	req.Header.Set("X-Api-Key", c.key)
	res, err := c.web.Do(req)
	if err != nil {
		return got, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return got, err
	}
	if res.StatusCode != http.StatusOK {
		return got, &refusal{res.StatusCode, got.Error.Type + ": " + got.Error.Message}
	}
	return got, nil
}

type object = map[string]any

// A store that is created at one server is there at the other, and so is each memory. A
// cursor of one server works at the other.
func TestStores(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 2, db)
	_, key := newKey(t, db, "--agents", "*")
	c := newClient(key)
	one, two := servers[0], servers[1]
	store, err := c.rest(t.Context(), one, "POST", "", object{"name": "notes"})
	must(t, err)
	var want []string
	for i := range 7 {
		path := fmt.Sprintf("/folder/%d.md", i)
		made, err := c.rest(t.Context(), servers[i%2], "POST", "/"+store.ID+"/memories", object{"path": path, "content": path})
		must(t, err)
		read, err := c.rest(t.Context(), servers[(i+1)%2], "GET", "/"+store.ID+"/memories/"+made.ID, nil)
		if err != nil || read.Content != path {
			t.Errorf("%s, read at the other server: %+v, %v", path, read, err)
		}
		want = append(want, made.ID)
	}
	for _, list := range []string{"/memories?limit=2", "/memory_versions?limit=2"} {
		var got []string
		for i, page := 0, ""; ; i++ {
			found, err := c.rest(t.Context(), servers[i%2], "GET", "/"+store.ID+list+page, nil)
			must(t, err)
			for _, item := range found.Data {
				got = append(got, strings.TrimSuffix(strings.Replace(item.ID, "memver_", "mem_", 1), "_1"))
			}
			if found.Next == nil {
				break
			}
			page = "&page=" + *found.Next
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s, with every other page of the other server: %v, want %v", list, got, want)
		}
	}
	if got, err := c.rest(t.Context(), two, "GET", "", nil); err != nil || len(got.Data) != 1 || got.Data[0].ID != store.ID {
		t.Errorf("the stores at the other server: %+v, %v", got, err)
	}
}

// When a store is archived at one server, no write that begins a second later succeeds at
// the other, by either door.
func TestArchive(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 2, db)
	_, key := newKey(t, db, "--agents", "*")
	c := newClient(key)
	_, err := c.rest(t.Context(), servers[0], "POST", "", object{"name": "notes"})
	must(t, err)
	made, err := c.rest(t.Context(), servers[0], "POST", "/memstore_notes/memories", object{"path": "/a.md", "content": "x"})
	must(t, err)
	writes := map[string]func(i int) error{
		"MCP": func(i int) error {
			_, err := c.call(t.Context(), servers[1].url(), "write_file", fmt.Sprintf(`"agent_id":"notes","path":"m.md","content":"%d"`, i), "")
			return err
		},
		"REST create": func(i int) error {
			_, err := c.rest(t.Context(), servers[1], "POST", "/memstore_notes/memories", object{"path": fmt.Sprintf("/r/%d", i), "content": "x"})
			return err
		},
		"REST update": func(i int) error {
			_, err := c.rest(t.Context(), servers[1], "POST", "/memstore_notes/memories/"+made.ID, object{"content": fmt.Sprint(i)})
			return err
		},
	}
	last := map[string]time.Time{} // when the last write began that succeeded
	var archived time.Time
	for i := 0; archived.IsZero() || time.Since(archived) < 1500*time.Millisecond; i++ {
		for name, write := range writes {
			began := time.Now()
			switch err := write(i); {
			case err == nil:
				last[name] = began
			case archived.IsZero() || !strings.Contains(err.Error(), "archived"):
				t.Fatalf("%s %d: %v", name, i, err)
			}
		}
		if i == 5 {
			_, err := c.rest(t.Context(), servers[0], "POST", "/memstore_notes/archive", nil)
			must(t, err)
			archived = time.Now()
		}
		time.Sleep(20 * time.Millisecond)
	}
	for name := range writes {
		if after := last[name].Sub(archived); last[name].IsZero() || after > time.Second {
			t.Errorf("%s at the other server: the last that succeeds begins %v after the store was archived", name, after)
		}
	}
	if got, err := c.rest(t.Context(), servers[1], "GET", "/memstore_notes/memories/"+made.ID, nil); err != nil || got.Content == "" {
		t.Errorf("a memory of the archived store: %+v, %v", got, err)
	}
}

// Eight clients of two servers add lines to one memory, each on the condition that it is as
// they have read it. All lines are there, and no other version.
func TestPreconditions(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 2, db)
	_, key := newKey(t, db, "--agents", "*")
	c := newClient(key)
	_, err := c.rest(t.Context(), servers[0], "POST", "", object{"name": "notes"})
	must(t, err)
	made, err := c.rest(t.Context(), servers[0], "POST", "/memstore_notes/memories", object{"path": "/a.md", "content": ""})
	must(t, err)
	const clients, each = 8, 4
	below := "/memstore_notes/memories/" + made.ID
	add := func(s *server, line string) error {
		for {
			old, err := c.rest(t.Context(), s, "GET", below, nil)
			if err != nil {
				return err
			}
			_, err = c.rest(t.Context(), s, "POST", below, object{"content": old.Content + line, "precondition": object{"type": "content_sha256", "content_sha256": old.SHA256}})
			if r := (*refusal)(nil); errors.As(err, &r) && r.status == http.StatusConflict && strings.HasPrefix(r.text, "memory_precondition_failed_error") {
				continue
			}
			return err
		}
	}
	var adding sync.WaitGroup
	var want []string
	for i := range clients {
		for j := range each {
			want = append(want, fmt.Sprintf("%d of client %d", j, i))
		}
		adding.Go(func() {
			for j := range each {
				if err := add(servers[i%2], fmt.Sprintf("%d of client %d\n", j, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	adding.Wait()
	got, err := c.rest(t.Context(), servers[0], "GET", below, nil)
	must(t, err)
	if lines := strings.Split(strings.TrimSpace(got.Content), "\n"); !sameSet(lines, want) {
		t.Errorf("the memory has the lines %q", lines)
	}
	if sum := sha256.Sum256([]byte(got.Content)); got.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("its content_sha256 is %s", got.SHA256)
	}
}

func sameSet(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
