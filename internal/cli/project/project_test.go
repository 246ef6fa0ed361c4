package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A world is a database, and folders of a machine below a home folder.
type world struct {
	*testing.T
	Records
	home string
}

func newWorld(t *testing.T) world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	store := memstore.New()
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	return world{t, Records{Store: store, Service: svc, Tenant: "local", Local: true}, home}
}

// folder makes a folder and returns its path.
func (w world) folder(name string) string {
	dir := filepath.Join(w.home, filepath.FromSlash(name))
	testkit.Must(w, os.MkdirAll(dir, 0o755))
	return dir
}

func sure(string, []string) error { return nil }

// worktree makes a worktree of a repository, and returns its folder.
func (w world) worktree(name, of string) string {
	git := w.folder(of + "/.git/worktrees/" + filepath.Base(name))
	dir := w.folder(name)
	for file, text := range map[string]string{
		git + "/gitdir": dir + "/.git\n", git + "/commondir": "../..\n", dir + "/.git": "gitdir: " + git + "\n",
	} {
		testkit.Must(w, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

// repo makes a repository with an origin, and returns its folder.
func (w world) repo(name, origin string) string {
	for _, dir := range []string{"objects", "refs"} {
		w.folder(name + "/.git/" + dir)
	}
	git := w.folder(name + "/.git")
	testkit.Must(w, errors.Join(os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/a\n"), 0o644),
		os.WriteFile(filepath.Join(git, "config"), []byte("[remote \"origin\"]\nurl = "+origin+"\n"), 0o644)))
	return filepath.Dir(git)
}

// older records what an older version has recorded.
func (w world) older(agent, folder string) {
	value, err := json.Marshal(map[string]string{"folder": folder})
	testkit.Must(w, err)
	_, err = w.Store.System(w.Context()).Put("project/local/"+agent, value, 0)
	testkit.Must(w, err)
	w.write(agent)
}

func (w world) write(agent string) {
	ws, err := w.Service.Agent(agent)
	testkit.Must(w, err)
	_, err = ws.WriteFile(w.Context(), "a.md", []byte("x"), workspace.WriteOptions{})
	testkit.Must(w, err)
}

func (w world) find(folder string) Project {
	w.Helper()
	place, err := At(folder)
	testkit.Must(w, err)
	p, err := w.Find(w.Context(), place)
	testkit.Must(w, err)
	return p
}

// settle settles the project of a folder, writes into its memory, and returns the agent.
func (w world) settle(folder string) string {
	w.Helper()
	agent, err := w.find(folder).Settle(w.Context())
	testkit.Must(w, err)
	w.write(agent)
	if p := w.find(folder); p.Agent != agent || !p.Settled {
		w.Errorf("%s: Settle returns %s, then Find %+v", folder, agent, p)
	}
	return agent
}

func (w world) keys(prefix string) (keys []string) {
	list, err := w.Store.System(w.Context()).List(prefix, "", 1000)
	testkit.Must(w, err)
	for _, r := range list {
		keys = append(keys, r.Key)
	}
	return keys
}

func (w world) want(folder, agent string) {
	w.Helper()
	if got := w.settle(folder); !regexp.MustCompile("^" + agent + "$").MatchString(got) {
		w.Errorf("the agent of %s is %s, want %s", folder, got, agent)
	}
}

func TestNames(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 200)
	seen := map[string]bool{}
	w.write("taken")
	for _, c := range []struct{ folder, want string }{
		{"shop", `shop`}, {"old/shop", `shop-[0-9a-f]{6}`}, {"older/shop", `shop-[0-9a-f]{6}`},
		{"default", `default-[0-9a-f]{6}`}, {"Default", `Default`}, {"my shop (2)", `my-shop-2`},
		{".dotfiles", `dotfiles`}, {"a_b-c", `a_b-c`}, {"日本語", `project`}, {"магазин", `project-[0-9a-f]{6}`},
		{"a/" + long, long[:128]}, {"b/" + long, long[:121] + `-[0-9a-f]{6}`}, {"taken", `taken-[0-9a-f]{6}`},
	} {
		agent := w.settle(w.repo(c.folder, ""))
		if _, err := workspace.ParseAgentID(agent); err != nil || seen[agent] ||
			!regexp.MustCompile("^"+c.want+"$").MatchString(agent) {
			t.Errorf("the agent of %s is %q, want %s; %v", c.folder, agent, c.want, err)
		}
		seen[agent] = true
	}
}

// A name is taken before anything is stored under it.
func TestNameIsTaken(t *testing.T) {
	w := newWorld(t)
	one, err := w.find(w.repo("a/shop", "")).Settle(t.Context())
	testkit.Must(t, err)
	other, err := w.find(w.repo("b/shop", "")).Settle(t.Context())
	testkit.Must(t, err)
	if one != "shop" || other == one {
		t.Errorf("the agents are %s and %s", one, other)
	}
}

// The name of a project is that of its repository, and never has a folder above it.
func TestName(t *testing.T) {
	w := newWorld(t)
	w.older("legacy", `C:\Users\grace\legacy app`)
	for agent, want := range map[string]string{
		w.settle(w.repo("a/shop", "https://ada:secret@example.com/acme/shop.git")): "acme/shop",
		w.settle(w.repo("b/日本語", "")):                                              "日本語", "legacy": "legacy app", "default": "", "nobody": "",
	} {
		if got, err := w.Name(t.Context(), agent); err != nil || got != want {
			t.Errorf("the project of %s is %q, want %q; %v", agent, got, want, err)
		}
	}
}

// Nothing is recorded, in the database and in the repository, until something is stored.
func TestNothingIsWrittenByARead(t *testing.T) {
	w := newWorld(t)
	dir := w.repo("shop", "")
	p := w.find(w.folder("shop/sub/deep"))
	if p.Agent != "shop" || p.Name != "shop" || p.Settled || p.Top != dir || len(w.keys("")) != 0 {
		t.Errorf("%+v, records %q", p, w.keys(""))
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "scratchpad")); err == nil {
		t.Error("a read has made an id")
	}
	w.want(dir, "shop")
	if none, err := (Records{Tenant: "local"}).Find(t.Context(), p.place); err != nil || none.Agent != "shop" {
		t.Errorf("without a database: %+v, %v", none, err)
	}
}

// No record has more of an id than a part of it, in a name that was taken.
func TestIDIsNotStored(t *testing.T) {
	w := newWorld(t)
	w.want(w.repo("old/shop", ""), "shop")
	dir := w.repo("shop", "")
	w.want(dir, "shop-[0-9a-f]{6}")
	id, err := os.ReadFile(filepath.Join(dir, ".git", "scratchpad"))
	testkit.Must(t, err)
	list, err := w.Store.System(t.Context()).List("", "", 1000)
	testkit.Must(t, err)
	for _, r := range list {
		if text := r.Key + string(r.Value); strings.Contains(text, string(id[:digitsStep+1])) {
			t.Errorf("a record has the id: %s", text)
		}
	}
}

// The order of the decision, from the memory for everything to what a person has said.
func TestOrder(t *testing.T) {
	w := newWorld(t)
	plain := w.folder("plain/sub")
	everything := func(folder string) {
		t.Helper()
		if p := w.find(folder); p.Agent != Everything || p.Name != "" || !p.Settled || p.Top != "" {
			t.Errorf("%s: %+v", folder, p)
		}
	}
	everything(plain)
	everything("/")
	w.older("home", w.home)
	everything(plain)
	w.want(w.home, "home")
	w.older("notes", filepath.Dir(plain))
	w.want(plain, "notes")
	mono := w.repo("mono", "")
	w.want(mono, "mono")
	testkit.Must(t, w.Set(t.Context(), w.folder("mono/api"), "api"))
	w.want(w.folder("mono/api/v1"), "api")
	w.want(w.folder("mono/apis"), "mono")
	testkit.Must(t, w.Set(t.Context(), w.home, "all"))
	w.want(mono, "all")
	w.want(w.folder("mono/api/v1"), "api")
	testkit.Must(t, w.SetOff(t.Context(), mono))
	p := w.find(w.folder("mono/web"))
	_, err := p.Settle(t.Context())
	if !p.Off || p.Agent != "" || p.Top != mono || !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("%+v, %v", p, err)
	}
	testkit.Must(t, w.Set(t.Context(), mono, Everything))
	if p := w.find(mono); p.Agent != Everything || p.Name != "" || !p.Settled {
		t.Errorf("%+v", p)
	}
	if err := w.Set(t.Context(), mono, "a b"); !errors.Is(err, workspace.ErrInvalid) {
		t.Error(err)
	}
}

// A repository takes over what an older version has recorded.
func TestOlder(t *testing.T) {
	w := newWorld(t)
	w.older("old-shop", w.repo("shop", ""))
	w.older("sub", w.folder("shop/sub"))
	w.older("other", w.folder("mono/pkg"))
	w.older("outer", w.folder("outer"))
	w.want(w.folder("shop"), "old-shop")
	w.want(w.folder("shop/sub"), "sub")
	w.repo("mono", "")
	if p := w.find(w.folder("mono/pkg/a")); p.Agent != "other" || !p.Settled {
		t.Errorf("%+v", p)
	}
	w.want(w.folder("mono/pkg/a"), "other")
	w.want(w.folder("mono/web"), "mono") // what is recorded below the top folder stays there
	w.want(w.folder("mono/pkg/a"), "other")
	w.want(w.repo("outer/repo", ""), "repo")
	// Another repository in the place of one that was deleted has no part in its memory.
	testkit.Must(t, os.RemoveAll(filepath.Join(w.home, "shop")))
	if p := w.find(w.repo("shop", "")); p.Agent != "shop" {
		t.Errorf("a new repository sees the memory %s of one that was deleted", p.Agent)
	}
	w.want(w.folder("shop"), "shop")
}

// What is stored in records of their own, as versions did that had three kinds, is read as it is, and is in
// the one record with the first change. What such a version adds later does not count.
func TestOlderRecords(t *testing.T) {
	w := newWorld(t)
	put := func(key, value string) {
		testkit.Must(t, testkit.Err(w.Store.System(t.Context()).Put(key, []byte(value), 0)))
	}
	ofRepo := func(name, id, agent string) {
		dir := w.repo(name, origin)
		testkit.Must(t, os.WriteFile(filepath.Join(dir, ".git", "scratchpad"), []byte(id), 0o600))
		put("project/local/"+agent, `{"folder":"`+dir+`","key":"`+hash("id:"+id)+`"}`)
		put("repository/local/"+hash("id:"+id), `{"agent":"`+agent+`","folders":["`+dir+`"],"origin":"`+origin+`"}`)
		w.write(agent)
	}
	all := func() {
		t.Helper()
		for dir, agent := range map[string]string{"one": "first", "two": "second", "one/sub": "api", "old": "older"} {
			if p := w.find(w.folder(dir)); p.Agent != agent || !p.Settled {
				t.Errorf("%s: %+v, want %s", dir, p, agent)
			}
		}
		if p := w.find(w.folder("two/off")); !p.Off {
			t.Errorf("%+v", p)
		}
		if p := w.find(w.repo("third", origin)); p.Offer == nil {
			t.Error("no memory is offered")
		}
	}
	ofRepo("one", strings.Repeat("ab", 16), "first")
	ofRepo("two", strings.Repeat("0a", 16), "second")
	put("folder/local/1", `{"folder":"`+w.folder("one/sub")+`","agent":"api"}`)
	put("folder/local/2", `{"folder":"`+w.folder("two/off")+`"}`)
	w.older("older", w.folder("old"))
	all()
	w.want(w.folder("two"), "second") // nothing changes
	w.want(w.repo("new", ""), "new")
	all()
	testkit.Must(t, testkit.Err(w.Forget(t.Context(), w.folder("one/sub"), sure)))
	w.want(w.folder("one/sub"), "first")
	if left := w.keys(""); len(left) != 1 {
		t.Errorf("the records are %q", left)
	}
	put("folder/local/3", `{"folder":"`+w.folder("new")+`","agent":"api"}`)
	w.want(w.folder("new"), "new")
}

// A list that is full loses the first repository that is gone, and its memory stays under its name.
func TestMostProjects(t *testing.T) {
	w := newWorld(t)
	w.want(w.repo("here", ""), "here")
	w.want(w.repo("gone", ""), "gone")
	testkit.Must(t, os.RemoveAll(w.folder("gone")))
	testkit.Must(t, w.update(t.Context(), func(l list) (list, error) {
		for len(l) < mostProjects {
			l = l.say(filepath.Join(w.home, "said", fmt.Sprint(len(l))), "a")
		}
		return l, nil
	}))
	w.want(w.repo("new", ""), "new")
	l, err := w.load(t.Context())
	if i := l.index(func(m memory) bool { return m.Agent == "gone" }); err != nil || i >= 0 || len(l) != mostProjects {
		t.Errorf("%d projects, the one that is gone is number %d; %v", len(l), i, err)
	}
	w.want(w.folder("here"), "here")
	w.want(w.repo("gone", ""), "gone-[0-9a-f]{6}")
}

// What older setups wrote into the files of folders is lost neither by writes beside it, nor when a
// folder is renamed, nor in a worktree.
func TestAdopt(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"mono", "a", "b", "tree", "both"} {
		w.repo(name, "")
	}
	fix, side := w.worktree("fix", "tree"), w.worktree("side", "both")
	w.older("api", w.folder("mono/api"))
	w.older("both", w.folder("both"))
	w.older("old-d", w.repo("d", ""))
	adopted := [][2]string{{"mono/api", "api"}, {"mono/web", "web"}, {"mono/mono", "mono"}, {"mono/mono", "mono"}, {"a", "team"}, {"b", "team"},
		{"fix", "fix"}, {"side", "side"}, {"plain", "plain"}, {"all/x", "default"}}
	for _, c := range adopted {
		testkit.Must(t, w.Adopt(t.Context(), w.folder(c[0]), c[1]))
	}
	w.want(w.folder("mono"), "mono-[0-9a-f]{6}|mono")
	w.want(w.folder("tree"), "fix")
	w.want(w.folder("both"), "both")
	for _, c := range adopted {
		w.want(w.folder(c[0]), c[1])
	}
	w.want(w.worktree("more", "b"), "team")
	w.want(fix, "fix")
	w.want(side, "side")
	for _, name := range []string{"a", "b"} {
		testkit.Must(t, os.Rename(w.folder(name), filepath.Join(w.home, "moved-"+name)))
		w.want(w.folder("moved-"+name), "team")
	}
	testkit.Must(t, w.Adopt(t.Context(), w.folder("d"), "new-d"))
	w.want(w.folder("d"), "new-d")
	if of, err := w.Folders(t.Context()); err != nil || of["new-d"] != w.folder("d") || of["old-d"] != "" || of["api"] != w.folder("mono/api") {
		t.Errorf("the folders of agents are %v, %v", of, err)
	}
	if err := w.Adopt(t.Context(), w.repo("c", ""), "a b"); !errors.Is(err, workspace.ErrInvalid) {
		t.Error(err)
	}
}

// To forget a repository takes its memory from its worktrees and copies, which it asks for. To forget a
// worktree is no way to do that.
func TestForgetOfMany(t *testing.T) {
	w := newWorld(t)
	app := w.repo("app", "")
	w.want(w.worktree("wt", "app"), "app") // the name is that of the main folder
	w.want(app, "app")
	app2 := filepath.Join(w.home, "copy")
	testkit.Must(t, os.CopyFS(app2, os.DirFS(app)))
	w.want(app2, "app")
	if _, err := w.Forget(t.Context(), w.folder("wt"), sure); !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), app+", which") {
		t.Error(err)
	}
	no := errors.New("no")
	if _, err := w.Forget(t.Context(), app2, func(agent string, folders []string) error {
		if agent != "app" || len(folders) != 3 || !slices.Contains(folders, app) {
			t.Errorf("%s, %q are asked for", agent, folders)
		}
		return no
	}); err != no {
		t.Error(err)
	}
	w.want(app2, "app")
	testkit.Must(t, testkit.Err(w.Forget(t.Context(), app2, sure)))
	w.want(app, "app-[0-9a-f]{6}") // the memory of the name is somebody's
	if l, err := w.load(t.Context()); err != nil || len(l) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestMovesAndCopies(t *testing.T) {
	w := newWorld(t)
	dir := w.repo("shop", "")
	w.want(dir, "shop")
	moved := filepath.Join(w.home, "renamed")
	testkit.Must(t, os.Rename(dir, moved))
	w.want(moved, "shop")
	// Another repository of the old name has another memory.
	w.want(w.repo("shop", ""), "shop-[0-9a-f]{6}")
	link := filepath.Join(w.home, "link")
	if os.Symlink(moved, link) == nil {
		w.want(link, "shop")
	}
	l, err := w.load(t.Context())
	if err != nil || len(l[0].Folders) != 1 {
		t.Errorf("the repository is recorded with the folders %q, %v", l[0].Folders, err)
	}
	// Without an id, the path is the key.
	read := w.repo("read", "")
	testkit.Must(t, os.WriteFile(filepath.Join(read, ".git", "scratchpad"), []byte("mine"), 0o600))
	w.want(read, "read")
	w.want(w.repo("more/read", ""), "read-[0-9a-f]{6}")
	// An id that it gets later, for another database, changes nothing.
	testkit.Must(t, os.Remove(filepath.Join(read, ".git", "scratchpad")))
	t2 := w
	t2.Tenant = "t2"
	t2.settle(read)
	w.want(read, "read")
	testkit.Must(t, os.Rename(read, read+"2"))
	w.want(read+"2", "read")
	// One that it could not keep at first is made by a later write.
	late := w.repo("late", "")
	file := filepath.Join(late, ".git", "scratchpad")
	testkit.Must(t, os.WriteFile(file, nil, 0o600))
	w.want(late, "late")
	testkit.Must(t, os.Remove(file))
	w.want(late, "late")
	testkit.Must(t, os.Rename(late, late+"r"))
	w.want(late+"r", "late")
	if odd := filepath.Join(w.home, "odd\xff\xfe"); os.Mkdir(odd, 0o755) == nil { // not on every system
		w.want(w.repo("odd\xff\xfe", ""), "odd")
		before, err := w.Store.System(t.Context()).List("", "", 1000)
		testkit.Must(t, err)
		w.want(odd, "odd")
		if after, err := w.Store.System(t.Context()).List("", "", 1000); err != nil || !reflect.DeepEqual(after, before) {
			t.Errorf("a second write changes the records, %v", err)
		}
	}
}

// Processes that meet a new project at once get one agent, and repositories of one name get one each.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	var dirs []string
	for _, name := range []string{"a/shop", "b/shop", "c/shop"} {
		dirs = append(dirs, w.repo(name, ""))
	}
	agents := make([]string, 30)
	var wg sync.WaitGroup
	for i := range agents {
		p := w.find(dirs[i%len(dirs)])
		wg.Go(func() {
			var err error
			if agents[i], err = p.Settle(t.Context()); err != nil {
				t.Error(err)
			}
			ws, _ := w.Service.Agent(agents[i])
			ws.WriteFile(context.WithoutCancel(t.Context()), "a.md", []byte("x"), workspace.WriteOptions{})
		})
	}
	wg.Wait()
	of := map[string]int{}
	for i, agent := range agents {
		if agent != agents[i%len(dirs)] {
			t.Errorf("a repository has the agents %s and %s", agent, agents[i%len(dirs)])
		}
		of[agent]++
	}
	if l, err := w.load(t.Context()); err != nil || len(of) != len(dirs) || len(l) != len(dirs) {
		t.Errorf("%v, %v, %v", of, l, err)
	}
}

const origin = "https://git.example/x"

// A second clone is offered the memory of the first, and shares it only when somebody says so.
func TestJoin(t *testing.T) {
	w := newWorld(t)
	first, second := w.repo("old/shop", "https://me:secret@git.example/x.git"), w.repo("shop 2", origin)
	fails := func(r Records, folder string) {
		t.Helper()
		_, err := r.Join(t.Context(), folder)
		for _, text := range []string{"scratchpad projects set " + folder + " AGENT", "export and import"} {
			if !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), text) {
				t.Errorf("Join(%s) = %v, want %q", folder, err, text)
			}
		}
	}
	if w.find(first).OfferText() != "" {
		t.Error("a memory is offered before there is any")
	}
	w.want(first, "shop")
	fails(w.Records, first)
	fails(w.Records, w.folder("plain"))
	const want = "This folder has the origin of shop (~/old/shop); `scratchpad projects join` shares that memory."
	if p := w.find(second); p.OfferText() != want || p.Agent != "shop-2" {
		t.Errorf("the offer is %q, the agent %s", p.OfferText(), p.Agent)
	}
	// A starter kit keeps the origin of where it came from, and its own memory.
	kit := w.repo("kit", origin)
	w.want(kit, "kit")
	if w.find(kit).Offer != nil {
		t.Error("another memory is offered to a project that has one")
	}
	fails(w.Records, kit)
	shared := w.Records
	shared.Local = false
	if p, err := shared.Find(t.Context(), w.find(second).place); err != nil || p.Offer != nil {
		t.Errorf("a memory is offered in a database that others share: %+v, %v", p.Offer, err)
	}
	fails(shared, second)
	testkit.Must(t, errors.Join(w.Set(t.Context(), kit, "mine"), os.Rename(first, filepath.Join(w.home, "old/gone"))))
	fails(w.Records, kit)
	testkit.Must(t, testkit.Err(w.Forget(t.Context(), kit, sure)))
	testkit.Must(t, testkit.Err(w.Forget(t.Context(), kit, sure)))
	if with, err := w.Join(t.Context(), second); err != nil || with.Agent != "shop" {
		t.Errorf("Join = %+v, %v", with, err)
	}
	w.want(second, "shop")
	w.want(filepath.Join(w.home, "old/gone"), "shop")
}

// A late store calls a function before it puts a record.
type late struct {
	workspace.Store
	before func()
}

type lateRecords struct {
	workspace.Records
	before func()
}

func (s late) System(ctx context.Context) workspace.Records {
	return lateRecords{s.Store.System(ctx), s.before}
}

func (r lateRecords) Put(key string, value []byte, revision int64) (int64, error) {
	r.before()
	return r.Records.Put(key, value, revision)
}

// A project whose first note is written while it joins another one keeps its own memory.
func TestJoinAtOnce(t *testing.T) {
	w := newWorld(t)
	w.want(w.repo("shop", origin), "shop")
	second, r := w.repo("shop 2", origin), w.Records
	r.Store = late{w.Store, func() { w.want(second, "shop-2") }}
	if with, err := r.Join(t.Context(), second); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("Join = %+v, %v", with, err)
	}
	w.want(second, "shop-2")
}

// The memory that is offered is the oldest that holds something and that a folder has.
func TestOfferIsOfTheOldest(t *testing.T) {
	w := newWorld(t)
	offers := func(folder, want string) {
		t.Helper()
		got := ""
		if offer := w.find(folder).Offer; offer != nil {
			got = offer.Agent + " " + filepath.Base(offer.Folder)
		}
		if got != want {
			t.Errorf("%s is offered %q, want %q", folder, got, want)
		}
	}
	failed, app, poison, third := w.repo("failed", origin), w.repo("app", origin), w.repo("app2", origin), w.repo("third", origin)
	_, err := w.find(failed).Settle(t.Context()) // for a write that failed
	testkit.Must(t, err)
	offers(third, "")
	w.want(app, "app")
	w.want(poison, "app2")
	w.want(w.worktree("app-fix", "app2"), "app2") // changes its record
	offers(third, "app app")
	offers(failed, "app app") // its own still holds nothing
	testkit.Must(t, w.Set(t.Context(), app, "app2"))
	offers(third, "app2 app-fix")
	entries, err := w.List(t.Context())
	if len(entries) != 2 || entries[0].Agent != "app2" || len(entries[0].Folders) != 3 || entries[1].Agent != "failed" {
		t.Errorf("the list is %+v, %v", entries, err)
	}
	for _, name := range []string{"app", "app2", "app-fix"} { // a clone that takes the place of one that is gone
		testkit.Must(t, os.RemoveAll(filepath.Join(w.home, name)))
	}
	offers(third, "app app")
	with, err := w.Join(t.Context(), failed)
	if err != nil || with.Agent != "app" {
		t.Errorf("Join = %+v, %v", with, err)
	}
	w.want(failed, "app")
}

// A clone in the place of one that was deleted is offered the memory of that one. What a person has said of
// the folder goes before.
func TestCloneInPlace(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.home, "shop")
	w.want(w.repo("shop", origin), "shop")
	testkit.Must(t, os.RemoveAll(dir))
	testkit.Must(t, w.Set(t.Context(), w.repo("shop", origin), "mine"))
	if p := w.find(w.repo("third", origin)); p.Offer != nil {
		t.Errorf("%+v is offered of a folder that has another memory", p.Offer)
	}
	testkit.Must(t, testkit.Err(w.Forget(t.Context(), dir, sure)))
	if p := w.find(dir); p.Offer == nil || *p.Offer != (Known{"shop", dir}) {
		t.Errorf("%+v is offered", p.Offer)
	}
	for range 2 {
		entries, err := w.List(t.Context())
		if err != nil || len(entries) != 1 || entries[0].Agent != "shop" || !slices.Equal(entries[0].Folders, []string{dir}) {
			t.Errorf("the list is %+v, %v", entries, err)
		}
		w.Join(t.Context(), dir)
	}
	w.want(dir, "shop")
}

// What a model reads of an offer cannot be a sentence of somebody else.
func TestOfferIsQuoted(t *testing.T) {
	for folder, want := range map[string]string{
		"/h/a_b-c.d": "~/a_b-c.d", "/h": "~", "/hh": "/hh", "/x y": `"/x y"`, "/h/日 магазин": `"~/日 магазин"`,
		"/a\u202eb\u2028": `"/a\u202eb\u2028"`, "/" + strings.Repeat("\U0001f6d2", 99): `"/` + strings.Repeat("\U0001f6d2", 59) + `"`,
		"/" + strings.Repeat("\U000e0041", 99): `"/` + strings.Repeat(`\U000e0041`, 5) + `"`, // a tag, which nobody sees
		"/`x`\n":                               "\"/`x`\\n\"", "/" + strings.Repeat("a", 99): `"/` + strings.Repeat("a", 59) + `"`,
	} {
		if got := show(filepath.FromSlash(folder), filepath.FromSlash("/h")); filepath.ToSlash(got) != want {
			t.Errorf("%q is shown as %s, want %s", folder, got, want)
		}
	}
}

func TestListAndForget(t *testing.T) {
	w := newWorld(t)
	list := func(want ...string) {
		t.Helper()
		entries, err := w.List(t.Context())
		var got []string
		for _, e := range entries {
			used := ""
			if !e.Used.IsZero() {
				used = " used"
			}
			got = append(got, strings.TrimSpace(e.Agent+" "+strings.ReplaceAll(strings.Join(e.Folders, ","), w.home, "~")+" "+e.Origin)+used)
		}
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the list is %q, %v; want %q", got, err, want)
		}
	}
	forget := func(folder, agent string) {
		t.Helper()
		if got, err := w.Forget(t.Context(), filepath.Join(w.home, folder), sure); err != nil || got != agent {
			t.Errorf("Forget(%s) = %q, %v; want %s", folder, got, err, agent)
		}
	}
	list()
	w.older("old", w.folder("old"))
	shop := w.repo("shop", origin)
	w.want(shop, "shop")
	w.want(w.repo("gone", ""), "gone")
	testkit.Must(t, os.RemoveAll(filepath.Join(w.home, "gone")))
	testkit.Must(t, errors.Join(w.Set(t.Context(), w.folder("shop/api"), "api"), w.Set(t.Context(), w.folder("tests"), "shop"),
		w.SetOff(t.Context(), shop)))
	list("api ~/shop/api", "gone ~/gone used", "old ~/old used", "shop ~/tests used", "~/shop")
	forget("shop", "")
	w.want(shop, "shop")
	forget("shop", "shop")
	if _, err := os.Stat(filepath.Join(shop, ".git", "scratchpad")); err == nil {
		t.Error("the id is still there")
	}
	forget("gone", "gone")
	forget("old", "old")
	forget("shop/api", "api")
	list("shop ~/tests used")
	if _, err := w.Forget(t.Context(), w.folder("shop/sub"), sure); !errors.Is(err, workspace.ErrNotFound) {
		t.Error(err)
	}
	w.want(shop, "shop-[0-9a-f]{6}") // the memory of the name is somebody's
	w.want(w.folder("old"), "default")
}
