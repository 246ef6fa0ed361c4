package repository

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// git runs git in a folder. Without the program the test is skipped.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: there is no git program")
	}
	set := []string{"-c", "user.name=a", "-c", "user.email=a@x", "-c", "protocol.file.allow=always"}
	cmd := exec.Command("git", append(set, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// inFolder returns a function that names a file below a new folder, without links.
func inFolder(t *testing.T) func(string) string {
	base, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	return func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
}

func put(t *testing.T, name, text string) {
	t.Helper()
	testkit.Must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)))
}

// newRepository makes what git wants of a directory of its own.
func newRepository(t *testing.T, dir string) {
	put(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
	testkit.Must(t, errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o755), os.Mkdir(filepath.Join(dir, "refs"), 0o755)))
}

// layout makes repositories of every kind, and archives of a stranger that lead into the
// repository main.
func layout(t *testing.T, at func(string) string) {
	for _, dir := range []string{"main/sub/deep", "other", "home/plain", "empty/.git", "sep", "gone", "project"} {
		testkit.Must(t, os.MkdirAll(at(dir), 0o755))
	}
	for _, dir := range []string{"main", "other", "home", "gone"} {
		git(t, at(dir), "init", "-q")
		git(t, at(dir), "commit", "-q", "--allow-empty", "-m", "a")
	}
	git(t, at("main"), "worktree", "add", "-q", "../tree")
	git(t, at("gone"), "worktree", "add", "-q", "../orphan")
	git(t, at("main"), "worktree", "add", "-q", "../deleted")
	git(t, at("main"), "submodule", "add", "-q", at("other"), "mod")
	git(t, at("main/mod"), "sparse-checkout", "set", "d") // moves core.worktree into config.worktree
	git(t, at("main"), "init", "-q", "--bare", "../bare.git")
	git(t, at("main"), "init", "-q", "--bare", "bare.git")
	git(t, at("sep"), "init", "-q", "--separate-git-dir", at("sepgit"))
	git(t, at("project"), "clone", "-q", "--bare", at("other"), ".bare")
	git(t, at("project/.bare"), "worktree", "add", "-q", "../wt")
	testkit.Must(t, errors.Join(os.RemoveAll(at("gone")), os.RemoveAll(at("deleted"))))
	put(t, at("stolen/.git"), "gitdir: ../main/.git\n")
	put(t, at("again/.git"), "gitdir: "+at("main/.git/worktrees/tree")+"\n")
	put(t, at("evil/.git"), "gitdir: admin\n")
	put(t, at("evil/admin/gitdir"), "../.git\n")
	put(t, at("evil/admin/commondir"), "../../main/.git\n")
	put(t, at("worse/.git"), "gitdir: worktrees/x\n")
	put(t, at("worse/worktrees/x/gitdir"), "../../.git\n")
	put(t, at("worse/worktrees/x/commondir"), "../../../main/.git\n")
	put(t, at("mine/.git"), "gitdir: admin\n")
	put(t, at("mine/admin/config.worktree"), "[core]\nworktree = ../../main\n")
	put(t, at("main/inner/.git"), "gitdir: /nowhere\n")
	put(t, at("remote/.git"), "gitdir: /"+filepath.ToSlash(at("main/.git/worktrees/tree"))+"\n")
	put(t, at("share/.git"), "gitdir: \\\\host\\share\n")
	put(t, at("long/.git"), "gitdir: "+strings.Repeat("a/", maxFile))
	if runtime.GOOS != "windows" {
		testkit.Must(t, os.MkdirAll(at("link"), 0o755))
		testkit.Must(t, os.Symlink(at("main/.git"), at("link/.git")))
	}
}

func TestFind(t *testing.T) {
	at := inFolder(t)
	layout(t, at)
	for _, c := range []struct {
		folder, top, common, passed string
	}{
		{"main", "main", "main/.git", ""},
		{"main/sub/deep", "main", "main/.git", ""},
		{"tree", "tree", "main/.git", ""},
		{"main/mod", "main/mod", "main/.git/modules/mod", ""},
		{"project/wt", "project/wt", "project/.bare", ""},
		{"bare.git", "", "", ""},
		{"main/bare.git", "main", "main/.git", ""},
		{"sep", "", "", "does not point back"},
		{"home", "", "", ""},
		{"home/plain", "", "", ""},
		{"empty", "", "", "lacks HEAD"},
		{"orphan", "", "", "no such file"},
		{"stolen", "", "", "does not point back"},
		{"again", "", "", "belongs to another folder"},
		{"evil", "", "", "none of the worktrees"},
		{"worse", "", "", "none of the worktrees"},
		{"mine", "", "", "does not point back"},
		{"main/inner", "main", "main/.git", "no such file"},
		{"remote", "", "", ".git holds no path of this computer"},
		{"share", "", "", ".git holds no path of this computer"},
		{"long", "", "", "has more than 65536 bytes"},
		{"link", "", "", ".git is a link"},
	} {
		if runtime.GOOS == "windows" && (c.folder == "link" || strings.HasPrefix(c.passed, "no such")) {
			continue
		}
		r, passed := Find(at(c.folder), at("home"))
		top, common := "", ""
		if r != nil {
			top, _ = filepath.Rel(at(""), r.Top)
			common, _ = filepath.Rel(at(""), r.Common)
		}
		text := errors.Join(passed...)
		if filepath.ToSlash(top) != c.top || filepath.ToSlash(common) != c.common || (text != nil) != (c.passed != "") ||
			text != nil && !strings.Contains(text.Error(), c.passed) {
			t.Errorf("%s: %q %q %v", c.folder, top, common, passed)
		}
	}
	r, _ := Find(at("tree"), "")
	id := r.MakeID()
	testkit.Must(t, os.Rename(at("main"), at("renamed")))
	if moved, _ := Find(at("renamed/sub"), ""); moved == nil || id == "" || moved.ID() != id {
		t.Errorf("a worktree has the id %q, and its renamed repository %+v another", id, moved)
	}
}

func TestID(t *testing.T) {
	at := inFolder(t)
	r := &Repository{Common: at("")}
	if r.ID() != "" {
		t.Error("there is an id before it was made")
	}
	ids := make([]string, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() { ids[i] = (&Repository{Common: at("")}).MakeID() })
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || !isID(id) {
			t.Fatalf("processes at the same time get %q", ids)
		}
	}
	files, _ := filepath.Glob(at("*"))
	info, err := os.Stat(at("scratchpad"))
	if len(files) != 1 || err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("files %v, %v, %v", files, info, err)
	}
	testkit.Must(t, r.Forget())
	testkit.Must(t, r.Forget())
	for _, text := range []string{"", "mine", strings.Repeat("A", idDigits), ids[0] + "\n", ids[0][:31]} {
		put(t, at("scratchpad"), text)
		if id := r.MakeID(); id != "" {
			t.Errorf("the file holds %q, the id is %q", text, id)
		}
		testkit.Must(t, r.Forget())
		if kept, err := os.ReadFile(at("scratchpad")); err != nil || string(kept) != text {
			t.Errorf("the file holds %q, want %q", kept, text)
		}
	}
	if (&Repository{Common: at("nowhere")}).MakeID() != "" {
		t.Error("an id was made where nothing can be written")
	}
}

func TestOrigin(t *testing.T) {
	at := inFolder(t)
	r := &Repository{Common: at("")}
	for text, want := range map[string]string{
		"[remote \"origin\"]\n\turl = https://u:p@GitHub.com:443/a/b.git/\n":                           "https://github.com/a/b",
		"[remote \"origin\"]\n\turl = git@github.com:a/b.git":                                          "ssh://github.com/a/b",
		"[remote \"origin\"]\n\turl = ssh://git@host:2222/~/b.git":                                     "ssh://host:2222/~/b",
		"[remote \"origin\"]\nurl = git+ssh://git@h.com/a/b.git":                                       "ssh://h.com/a/b",
		"[remote \"origin\"]\nurl = ssh+git://git@h.com/a/b.git":                                       "ssh://h.com/a/b",
		"[remote \"origin\"]\nurl = https://h/a?private_token=secret#x":                                "https://h/a",
		"[remote \"origin\"]\nurl = \"https://tok/en#x@h.com/p\"":                                      "",
		"[remote \"origin\"]\nurl = https://tok/en?x@h.com/p":                                          "",
		"[remote \"origin\"]\nurl = user:secret@host:a.git":                                            "",
		"[remote \"origin\"]\nurl = https://user:12/34@host/a":                                         "",
		"[remote \"origin\"]\nurl = https://user:se/cret@host/a":                                       "",
		"[remote \"origin\"]\nurl = /srv/a.git":                                                        "",
		"[remote \"origin\"]\nurl = ../a:b":                                                            "",
		"[remote \"origin\"]\nurl = C:\\a":                                                             "",
		"[remote \"origin\"]\nurl = file:///a/b":                                                       "",
		"[remote \"origin\"]\nurl = ext::sh -c x":                                                      "",
		"[remote \"origin\"]\nurl = https://h/" + strings.Repeat("a", maxOrigin):                       "",
		"[remote \"Origin\"]\nurl = https://h/a":                                                       "",
		"[include]\npath = x\n[remote \"up\"]\nurl = https://h/a":                                      "",
		"# c\n[core]\nbare\n[remote \"origin\"] ; x\n url = \"https://h/a b\" # c\n url = https://h/2": "https://h/a%20b",
		strings.Repeat("#\n", maxConfig) + "[remote \"origin\"]\nurl = https://h/a":                    "",
	} {
		put(t, at("config"), text)
		if got := r.Origin(); got != want {
			t.Errorf("%.80q: %q, want %q", text, got, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{"[", "[a \"", "=", "[a]x=\\", "[a]\nx=\"", "[A  \"b\"] # c\r\nx = \"y;\\t\" z # c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range settings(text) {
			address(s.value)
		}
	})
}
