package workspace_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func projectService(t *testing.T) *workspace.Service {
	t.Helper()
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	return svc
}

// takeProject returns the agent of a folder, which Project must name before and after.
func takeProject(t *testing.T, svc *workspace.Service, folder string) string {
	t.Helper()
	before, err := svc.Project(t.Context(), folder)
	testkit.Must(t, err)
	agent, err := svc.TakeProject(t.Context(), folder, "")
	testkit.Must(t, err)
	after, err := svc.Project(t.Context(), folder)
	testkit.Must(t, err)
	if _, err := workspace.ParseAgentID(agent); err != nil || before != agent || after != agent {
		t.Errorf("%s: the agent is %q, before %q, after %q; %v", folder, agent, before, after, err)
	}
	if owner, err := svc.ProjectFolder(t.Context(), agent); err != nil || owner != folder {
		t.Errorf("the folder of %s is %q, %v; want %q", agent, owner, err, folder)
	}
	return agent
}

func TestProject(t *testing.T) {
	svc := projectService(t)
	long := strings.Repeat("x", 200)
	seen := map[string]string{}
	for _, c := range []struct{ folder, want string }{
		{"/home/me/shop", `shop`},
		{"/home/me/old/shop", `shop-[0-9a-f]{6}`},
		{"/srv/shop", `shop-[0-9a-f]{6}`},
		{"/home/me/default", `default-[0-9a-f]{6}`},
		{"/home/me/Default", `Default`},
		{"/home/me/my shop (2)", `my-shop-2`},
		{"/home/me/.dotfiles", `dotfiles`},
		{"/home/me/a_b-c", `a_b-c`},
		{"/home/me/日本語", `project`},
		{"/home/me/магазин", `project-[0-9a-f]{6}`},
		{"/", `project-[0-9a-f]{6}`},
		{"/a/" + long, long[:128]},
		{"/b/" + long, long[:121] + `-[0-9a-f]{6}`},
	} {
		agent := takeProject(t, svc, c.folder)
		if !regexp.MustCompile("^" + c.want + "$").MatchString(agent) {
			t.Errorf("the agent of %s is %q, want %s", c.folder, agent, c.want)
		}
		if other, taken := seen[agent]; taken {
			t.Errorf("%s and %s share the agent %s", c.folder, other, agent)
		}
		seen[agent] = c.folder
		if again := takeProject(t, svc, c.folder); again != agent {
			t.Errorf("%s: taken again, the agent is %q, was %q", c.folder, again, agent)
		}
	}
	if agent, err := svc.Project(t.Context(), "/only/looked"); err != nil || agent != "looked" {
		t.Errorf("Project = %q, %v", agent, err)
	}
	if owner, err := svc.ProjectFolder(t.Context(), "looked"); err != nil || owner != "" {
		t.Errorf("Project has recorded that looked belongs to %q, %v", owner, err)
	}
}

// An agent that was named for one folder is not given to another of that name.
func TestTakeProjectNamed(t *testing.T) {
	svc := projectService(t)
	if agent, err := svc.TakeProject(t.Context(), "/a/one", "shop"); err != nil || agent != "shop" {
		t.Fatalf("TakeProject = %q, %v", agent, err)
	}
	if agent := takeProject(t, svc, "/b/shop"); agent == "shop" {
		t.Error("two folders share an agent")
	}
	// Whoever names it may still use it.
	if agent, err := svc.TakeProject(t.Context(), "/b/shop", "shop"); err != nil || agent != "shop" {
		t.Errorf("TakeProject = %q, %v", agent, err)
	}
	if owner, err := svc.ProjectFolder(t.Context(), "shop"); err != nil || owner != "/a/one" {
		t.Errorf("the folder of shop is %q, %v", owner, err)
	}
	if _, err := svc.TakeProject(t.Context(), "/a/one", "default"); err != nil {
		t.Error(err)
	}
	if owner, err := svc.ProjectFolder(t.Context(), "default"); err != nil || owner != "" {
		t.Errorf("the agent default belongs to %q, %v", owner, err)
	}
}

// Folders of one name that are taken at once get agents of their own.
func TestTakeProjectAtOnce(t *testing.T) {
	svc := projectService(t)
	agents := make([]string, 16)
	var wg sync.WaitGroup
	for i := range agents {
		wg.Go(func() {
			var err error
			if agents[i], err = svc.TakeProject(t.Context(), "/"+strings.Repeat("d", i+1)+"/shop", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, agent := range agents {
		seen[agent] = true
	}
	if len(seen) != len(agents) || !seen["shop"] {
		t.Errorf("16 folders have the agents %v", agents)
	}
}

func TestProjectInvalid(t *testing.T) {
	svc := projectService(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, folder := range []string{"", "shop", "./shop", "/" + strings.Repeat("x", 40_000), "/\xff"} {
		if _, err := svc.Project(t.Context(), folder); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("Project(%.20q) = %v", folder, err)
		}
		if _, err := svc.TakeProject(t.Context(), folder, ""); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("TakeProject(%.20q) = %v", folder, err)
		}
	}
	if _, err := svc.TakeProject(t.Context(), "/a", "a b"); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("TakeProject of a bad agent: %v", err)
	}
	if _, err := svc.ProjectFolder(t.Context(), "a b"); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("ProjectFolder of a bad agent: %v", err)
	}
	if _, err := svc.Project(ended, "/a"); !errors.Is(err, context.Canceled) {
		t.Errorf("Project with an ended context: %v", err)
	}
}
