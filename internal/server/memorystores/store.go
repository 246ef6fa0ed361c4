package memorystores

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The limits of a store's name, description and metadata, in characters.
const (
	maxName        = 255
	maxDescription = 1024
	maxPairs       = 16
	maxPairKey     = 64
	maxPairValue   = 512
	maxChanges     = 100 // pairs that one request sets or removes
)

// A storeChange is what a request changes in a store. A nil field stays as it is.
type storeChange struct {
	name, description *string
	metadata          map[string]*string // a nil value removes the key
}

// readStore reads the body of a request that makes or changes a store.
func (c *call) readStore() (s storeChange) {
	all := c.readFields(text("name"), text("description"), object("metadata"))
	if name := all.Given("name"); name != nil {
		s.name = &name.Text
		if *s.name == "" || utf8.RuneCountInString(*s.name) > maxName ||
			strings.ContainsFunc(*s.name, unicode.IsControl) {
			c.invalid("name must have 1-%d characters, without control characters", maxName)
		}
	}
	if description := all.Given("description"); description != nil {
		s.description = &description.Text
		if utf8.RuneCountInString(*s.description) > maxDescription {
			c.invalid("description may have %d characters", maxDescription)
		}
	}
	if all.Has("metadata") {
		s.metadata = c.readMetadata([]byte(all.Text("metadata")))
	}
	return s
}

func (c *call) readMetadata(raw []byte) map[string]*string {
	metadata := map[string]*string{}
	for key, value := range strictjson.Members(raw) {
		said, isText := strictjson.Text(value)
		_, again := metadata[key]
		switch {
		case again:
			c.invalid("metadata: %v", strictjson.Twice("key", key))
		case len(metadata) == maxChanges:
			c.invalid("metadata has more than %d keys", maxChanges)
			return nil
		case !isText && string(value) != "null":
			c.invalid("metadata: each value must be a string, or null to remove its key")
		case key == "" || utf8.RuneCountInString(key) > maxPairKey:
			c.invalid("metadata: a key must have 1-%d characters", maxPairKey)
		case utf8.RuneCountInString(said) > maxPairValue:
			c.invalid("metadata: a value may have %d characters", maxPairValue)
		}
		if metadata[key] = nil; isText {
			metadata[key] = &said
		}
	}
	return metadata
}

// apply changes a profile, and reports whether anything is different then.
func (s storeChange) apply(p *workspace.Profile) (changed bool, err error) {
	before := *p
	if s.name != nil {
		p.Name = *s.name
	}
	if s.description != nil {
		p.Description = *s.description
	}
	p.Metadata = maps.Clone(p.Metadata)
	for key, value := range s.metadata {
		if value == nil {
			delete(p.Metadata, key)
			continue
		}
		if p.Metadata == nil {
			p.Metadata = map[string]string{}
		}
		p.Metadata[key] = *value
	}
	if len(p.Metadata) > maxPairs {
		return false, invalid("metadata may have %d pairs, and would have %d", maxPairs, len(p.Metadata))
	}
	return p.Name != before.Name || p.Description != before.Description || !maps.Equal(p.Metadata, before.Metadata), nil
}

// now returns the time, or the last time in a profile if a clock was set back.
func now(last time.Time) time.Time {
	t := time.Now().UTC().Truncate(time.Microsecond)
	if t.Before(last) {
		return last
	}
	return t
}

// errTaken says that an agent exists.
var errTaken = errors.New("there is such an agent")

func createStore(c *call) (any, error) {
	s := c.readStore()
	if s.name == nil {
		c.invalid("name is missing")
	}
	if c.wrong != nil {
		return nil, c.wrong
	}
	if agent, ok := c.h.created.again(c); ok && c.caller.Agents.Allow(agent) { // the key may have been narrowed since
		if p, found, err := c.svc.Profile(c.ctx, agent); err != nil || found {
			return newStore(agent, p), err
		}
	}
	var p workspace.Profile
	if _, err := s.apply(&p); err != nil {
		return nil, err
	}
	for _, agent := range candidates(c.caller.Agents, agentName(p.Name)) {
		made, err := c.claim(agent, p)
		if errors.Is(err, errTaken) {
			continue
		}
		if err == nil {
			c.h.created.add(c, agent)
		}
		return newStore(agent, made), err
	}
	return nil, fail(http.StatusForbidden,
		"every memory store that your key allows exists already; ask the operator for a key for more agents")
}

// claim makes a store of an agent that does not exist. The store of an agent of this name that
// the key names may exist, and gets a profile if it has none: a program may so create its store
// each time it starts. Errors: errTaken.
func (c *call) claim(agent string, p workspace.Profile) (kept workspace.Profile, err error) {
	if err := c.admit(agent); err != nil {
		return p, err
	}
	own := agent == agentName(p.Name) && slices.Contains(c.caller.Agents.Patterns(), agent) &&
		c.caller.Scopes.Has(auth.Read)
	if !own {
		if last, err := c.written(agent); err != nil || !last.IsZero() {
			return p, errors.Join(err, errTaken)
		}
	}
	made, err := c.svc.UpdateProfile(c.ctx, agent, func(old workspace.Profile, found bool) (workspace.Profile, error) {
		if kept = old; found {
			return old, errTaken
		}
		return p, nil
	})
	if own && errors.Is(err, errTaken) {
		return kept, nil
	}
	return made, err
}

// agentName makes the name of an agent out of the name of a store. Characters that an agent
// cannot have become a hyphen, one for each run of them.
func agentName(name string) string {
	const most = 100 // so that there is room for more
	var b strings.Builder
	for _, r := range name {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') {
			b.WriteRune(r)
		} else if text := b.String(); text != "" && text[len(text)-1] != '-' {
			b.WriteByte('-')
		}
	}
	text := b.String()
	text = strings.Trim(text[:min(len(text), most)], "-")
	if text == "" {
		return "store"
	}
	return text
}

// candidates returns the agents that a new store may become, in order: the name itself, the
// agents that the key names, and a new name for each pattern.
func candidates(a auth.Agents, name string) (all []string) {
	add := func(agent string) {
		if a.Allow(agent) && len(agent) <= maxAgent {
			all = append(all, agent)
		}
	}
	add(name)
	for _, p := range a.Patterns() {
		prefix, open := strings.CutSuffix(p, "*")
		if !open {
			add(p)
			continue
		}
		base := name
		if !strings.HasPrefix(name, prefix) {
			base = prefix + name
			base = strings.TrimSuffix(base[:min(len(base), maxAgent)], "-")
			add(base)
		}
		suffix := "-" + strings.ToLower(rand.Text()[:8])
		add(base[:min(len(base), maxAgent-len(suffix))] + suffix)
	}
	return all
}

const maxAgent = 128 // characters of an agent

// A found store is one that the caller may use, and that exists.
type found struct {
	profile workspace.Profile
	known   bool // the profile is stored; else it is that of plain
	ws      *workspace.Workspace
}

// enter returns the store that the path names, if nothing is wrong with the request and its
// caller may use the store. It may be one that does not exist yet.
func (c *call) enter() (s found, err error) {
	if c.wrong != nil {
		return s, c.wrong
	}
	if c.agent == "" || !c.caller.Agents.Allow(c.agent) {
		return s, c.noStore()
	}
	if err := c.admit(c.agent); err != nil {
		return s, err
	}
	if s.profile, s.known, err = c.svc.Profile(c.ctx, c.agent); err != nil {
		return s, err
	}
	c.h.created.used(c)
	s.ws, err = c.workspace()
	return s, err
}

// open returns the store that the path names, if it exists.
func (c *call) open() (s found, err error) {
	if s, err = c.enter(); err != nil || s.known {
		return s, err
	}
	last, err := c.written(c.agent)
	if err != nil {
		return s, err
	}
	if last.IsZero() {
		return s, c.noStore()
	}
	s.profile, err = plain(c.ctx, s.ws, last)
	return s, err
}

// noStore is the answer for a store that does not exist, and for one that is not the
// caller's.
func (c *call) noStore() *failure {
	id := strings.Split(strings.TrimPrefix(c.r.URL.EscapedPath(), root), "/")[1]
	f := notThere("memory store", id)
	if c.agent != "" {
		f.error.Message += "; if your key allows its agent, its first memory makes it, and so does POST " + root
	}
	return f
}

// admit counts the call for an agent.
func (c *call) admit(agent string) error {
	after, ok := c.h.o.Admit(c.ctx, c.caller.Tenant, agent)
	if ok {
		return nil
	}
	return fail(http.StatusTooManyRequests, "too many calls for this memory store; try again").retry(after).
		because(&mcpserver.Busy{After: after})
}

// written returns when an agent has written last; zero: it holds nothing.
func (c *call) written(agent string) (time.Time, error) {
	page, err := c.svc.Agents(c.ctx, workspace.AgentsQuery{Patterns: []string{agent}, Limit: 1})
	if err != nil || len(page.Agents) == 0 {
		return time.Time{}, err
	}
	return lastWrite(page.Agents[0]), nil
}

// plain returns the profile of an agent that has none stored: its name, the time of its
// oldest file or log, and its last write.
func plain(ctx context.Context, ws *workspace.Workspace, last time.Time) (workspace.Profile, error) {
	p := workspace.Profile{Name: ws.Agent(), Created: last, Updated: last}
	files, err := ws.ListFiles(ctx, workspace.ListOptions{})
	if err != nil {
		return p, err
	}
	logs, err := ws.ListLogs(ctx, workspace.ListOptions{})
	for _, f := range files.Files {
		if f.Created.Before(p.Created) {
			p.Created = f.Created
		}
	}
	for _, l := range logs.Logs {
		if l.Created.Before(p.Created) {
			p.Created = l.Created
		}
	}
	return p, err
}

func getStore(c *call) (any, error) {
	s, err := c.open()
	return newStore(c.agent, s.profile), err
}

func updateStore(c *call) (any, error) {
	change := c.readStore()
	return c.saveProfile(func(p *workspace.Profile) (bool, error) {
		changed, err := change.apply(p)
		if err == nil && changed && !p.Archived.IsZero() {
			err = c.archived()
		}
		return changed, err
	})
}

func archiveStore(c *call) (any, error) {
	c.noBody()
	return c.saveProfile(func(p *workspace.Profile) (bool, error) {
		if !p.Archived.IsZero() {
			return false, nil
		}
		p.Archived = now(p.Updated)
		return true, nil
	})
}

// errSame ends the change of a profile that changes nothing.
var errSame = errors.New("nothing has changed")

// saveProfile changes the profile of a store. It saves nothing if change reports false.
func (c *call) saveProfile(change func(*workspace.Profile) (bool, error)) (any, error) {
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	var same workspace.Profile
	saved, err := c.svc.UpdateProfile(c.ctx, c.agent, func(p workspace.Profile, found bool) (workspace.Profile, error) {
		if !found {
			if err := c.stillThere(s); err != nil {
				return p, err
			}
			p = s.profile
		}
		same = p
		changed, err := change(&p)
		if err == nil && !changed {
			err = errSame
		}
		return p, err
	})
	if errors.Is(err, errSame) {
		return newStore(c.agent, same), nil
	}
	return newStore(c.agent, saved), err
}

// stillThere returns an error if a store has been deleted since it was opened. It has no
// profile now.
func (c *call) stillThere(s found) error {
	last, err := c.written(c.agent)
	if err == nil && (s.known || last.IsZero()) {
		err = c.noStore()
	}
	return err
}

func (c *call) archived() *failure {
	return invalid("the memory store %s is archived; it can be read, deleted and redacted, but not changed",
		storeID(c.agent))
}

func deleteStore(c *call) (any, error) {
	if _, err := c.open(); err != nil {
		return nil, err
	}
	if _, err := c.svc.DeleteAgent(c.ctx, c.agent); err != nil {
		return nil, err
	}
	return deletedObject{storeID(c.agent), "memory_store_deleted"}, nil
}

// workspace returns the memory of the store that the path names.
func (c *call) workspace() (*workspace.Workspace, error) {
	ws, err := c.h.o.Door.Workspace(c.ctx, c.agent, c.route.need)
	return ws, err
}

func lastWrite(a workspace.AgentInfo) time.Time {
	if a.Updated.IsZero() {
		return time.Unix(0, 0).UTC() // it is not known
	}
	return a.Updated
}
