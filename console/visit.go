package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A visit is a request of a person who is known.
type visit struct {
	h       *Handler
	w       http.ResponseWriter
	r       *http.Request
	person  Person
	session string
	form    url.Values           // of a POST, and else of the address
	ws      *workspace.Workspace // of the agent in the address; nil: the page is not about one
	place
	group string            // the person, or the address of somebody who is not known
	parts []*admission.Part // of memory, and of what else is limited
}

// A need is what a person must be allowed to do with an agent.
type need int

const (
	toRead   need = iota
	toChange      // and to read, because a person changes what was shown, or is shown in an error
)

// ofAgent returns the answer about the agent in the address, for people who may do what it
// needs.
func ofAgent(n need, answer func(*visit) error) func(*visit) error {
	return func(v *visit) (err error) {
		if v.ws, err = v.workspace(v.r.PathValue("agent"), n); err != nil {
			return err
		}
		for _, name := range []string{"v", "version", "current", "last", "from", "before"} {
			if _, ok := parseNumber(v.form.Get(name)); ok {
				continue
			}
			if v.r.Method == http.MethodPost {
				return errBadForm
			}
			return errNothingHere
		}
		return answer(v)
	}
}

// path returns the path of the file or the log in the address.
func (v *visit) path() string { return v.r.PathValue("path") }

// number returns a number of the form or of the address, which ofAgent has checked. If there is
// none, it is 0.
func (v *visit) number(name string) int64 {
	n, _ := parseNumber(v.form.Get(name))
	return n
}

// parseNumber reads a number that is not negative. "" is 0.
func parseNumber(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(cmp.Or(text, "0"), 10, 64)
	return n, err == nil && n >= 0
}

// read returns a version of a file. Version 0 is the current one.
func (v *visit) read(path string, version int64) (workspace.ReadResult, error) {
	return v.ws.ReadFile(v.r.Context(), path, workspace.ReadOptions{Version: version})
}

// history returns the versions of a file that are kept, the oldest first, and the current
// one, which is zero if the file is deleted.
func (v *visit) history(path string) (all []workspace.VersionInfo, current workspace.VersionInfo, err error) {
	if all, err = v.ws.History(v.r.Context(), path); err != nil {
		return nil, current, err
	}
	e, err := v.ws.FileExtent(v.r.Context(), path)
	if e.Version > 0 {
		current = all[len(all)-1]
	}
	return all, current, err
}

// present returns what history does. The error for a deleted file says who deleted it.
func (v *visit) present(path string) (all []workspace.VersionInfo, current workspace.VersionInfo, err error) {
	if all, current, err = v.history(path); err == nil && current.Version == 0 {
		_, err = v.read(path, 0)
	}
	return all, current, err
}

// maxForm is how many bytes a form may have: the largest file with each line ending as
// %0D%0A, and the other fields.
func maxForm() int64 { return 6*workspace.DefaultLimits().FileBytes + 64<<10 }

const (
	roomBytes    = 48 << 20 // for the requests and answers of all people together
	foreignBytes = 16 << 20 // for the forms of people whose session has ended
)

const (
	longestWait = 5 * time.Second  // for memory
	formTime    = time.Minute      // for a form to arrive
	foreignTime = 10 * time.Second // for one of somebody who is not known
)

// serve finds out who sends a request, and answers it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, answer func(*visit) error) {
	v := &visit{h: h, w: w, r: r, session: sessionOf(r)}
	defer v.leave()
	err := v.enter()
	if err == nil {
		err = answer(v)
	}
	switch {
	case errors.Is(err, ErrSignedOut) && r.Method == http.MethodGet:
		h.toSignIn(w, r)
	case err != nil:
		h.fail(v, err)
	}
}

// enter finds out who sends the request, and reads its form. With an error too there may be a
// form.
func (v *visit) enter() (err error) {
	o, ctx, posts := v.h.o, v.r.Context(), v.r.Method == http.MethodPost
	if v.person, err = o.People.Person(ctx, v.session); err != nil {
		if posts { // the answer holds what was typed
			address, _, _ := net.SplitHostPort(v.r.RemoteAddr)
			v.group = "address " + address
			_ = v.readForm(v.h.foreign, foreignTime)
		}
		return err
	}
	if o.Admit != nil {
		if err := o.Admit(ctx, v.person); err != nil {
			return err
		}
	}
	v.group, v.form, v.Part = v.person.ID, v.r.URL.Query(), partAgents
	if v.person.Open && v.session == "" {
		v.session = rand.Text() // it binds the forms of the pages to the browser
		http.SetCookie(v.w, newCookie(v.r, v.session, o.Now().Add(openSession)))
	}
	if posts {
		if err := v.readForm(v.h.room, formTime); err != nil {
			return err
		}
	}
	// The form may have taken long to arrive, or Admit may have waited. The rights count as
	// they are now.
	v.person, err = o.People.Person(ctx, v.session)
	return err
}

// readForm reads the form of a POST and checks its token. The room is for the form, and for
// an answer that has its text in a text field. With an error too there may be a form.
func (v *visit) readForm(in *admission.Semaphore, within time.Duration) error {
	limit := min(maxForm(), in.Share())
	size := v.r.ContentLength
	if size < 0 {
		size = limit
	}
	if err := v.takeRoom(in, min(10*size, in.Share())); err != nil {
		return err
	}
	arrival := http.NewResponseController(v.w)
	_ = arrival.SetReadDeadline(time.Now().Add(within)) // a server without deadlines has none
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, limit)
	err := v.r.ParseForm()
	_ = arrival.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch v.form = v.r.PostForm; {
	case errors.As(err, &large):
		return workspace.Errorf(workspace.ErrTooLarge, "the form has over %d bytes", large.Limit)
	case err != nil:
		return workspace.Errorf(workspace.ErrInvalid, "the form cannot be read")
	case !isFormToken(v.session, v.form.Get("token")):
		return errStaleForm
	}
	return nil
}

// takeRoom waits for room, which the visit has until leave. Errors: [*Busy].
func (v *visit) takeRoom(in *admission.Semaphore, bytes int64) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), longestWait)
	defer cancel()
	part, err := in.Take(ctx, v.group, bytes)
	switch {
	case err == admission.ErrShare:
		return &Busy{After: time.Second, Text: "the console is busy with your other pages"}
	case err != nil:
		return &Busy{After: time.Second, Text: "the console is busy with the pages of others"}
	}
	v.parts = append(v.parts, part)
	return nil
}

// leave gives back all that the visit has taken.
func (v *visit) leave() {
	for _, part := range v.parts {
		part.Leave()
	}
}

// take waits for room for what the person is to see. The rights must be the same after it.
func (v *visit) take(in *admission.Semaphore, bytes int64) error {
	if err := v.takeRoom(in, bytes); err != nil {
		return err
	}
	return v.sameRights()
}

// sameRights returns an error if the person may do something else now than when the request
// came. Handlers call sameRights again after a wait.
func (v *visit) sameRights() error {
	was := v.person
	now, err := v.h.o.People.Person(v.r.Context(), v.session)
	if err == nil && (now.ID != was.ID || now.Read != was.Read || now.Write != was.Write ||
		now.Admin != was.Admin || now.Metrics != was.Metrics || !slices.Equal(now.Agents, was.Agents)) {
		err = errOtherRights
	}
	return err
}

// workspace returns the workspace of an agent. An agent that is not the person's and one that
// cannot exist are the same [errNothingHere].
func (v *visit) workspace(agent string, n need) (*workspace.Workspace, error) {
	p := v.person
	switch {
	case p.Allow == nil || !p.Allow(agent):
		return nil, errNothingHere
	case !p.Read:
		return nil, errMayNotRead
	case n == toChange && !p.Write:
		return nil, errMayNotWrite
	}
	ws, err := p.Service.Look(agent)
	if err != nil {
		return nil, errNothingHere
	}
	return ws.As(workspace.Author{Client: "scratchpad console", Version: v.h.o.Version, Key: p.Key}), nil
}
