package console

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
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
	form    url.Values        // of a POST
	group   string            // the person, or the address of somebody who is not known
	parts   []*admission.Part // of memory, and of what else is limited
}

// A need is what a person must be allowed to do with an agent.
type need int

const (
	toRead need = iota
	toWrite
	toReadAndWrite // to change what the person has seen, or will see in an error
)

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
	var err error
	v.person, err = h.o.People.Person(r.Context(), v.session)
	switch {
	case errors.Is(err, ErrSignedOut) && r.Method == http.MethodGet:
		h.toSignIn(w, r)
		return
	case err != nil:
		if r.Method == http.MethodPost { // the answer holds what was typed
			address, _, _ := net.SplitHostPort(r.RemoteAddr)
			v.group = "address " + address
			_ = v.readForm(h.foreign, foreignTime)
		}
		h.fail(v, err)
		return
	}
	if h.o.Admit != nil {
		if err := h.o.Admit(r.Context(), v.person); err != nil {
			h.fail(v, err)
			return
		}
	}
	v.group = v.person.ID
	if v.person.Open && v.session == "" {
		v.session = newSession()
		http.SetCookie(w, newCookie(r, v.session, h.o.Now().Add(openSession)))
	}
	if r.Method == http.MethodPost {
		if err := v.readForm(h.room, formTime); err != nil {
			h.fail(v, err)
			return
		}
	}
	// The form may have taken long to arrive, or Admit may have waited. The rights count as
	// they are now.
	if v.person, err = h.o.People.Person(r.Context(), v.session); err != nil {
		if errors.Is(err, ErrSignedOut) && r.Method == http.MethodGet {
			h.toSignIn(w, r)
			return
		}
		h.fail(v, err)
		return
	}
	if err := answer(v); err != nil {
		h.fail(v, err)
	}
}

// readForm reads the form of a POST and checks its token. The room is for the form, and for
// an answer that has its text in a text field. With an error too there may be a form.
func (v *visit) readForm(in *admission.Semaphore, within time.Duration) error {
	size := v.r.ContentLength
	if size < 0 || size > maxForm() {
		size = maxForm()
	}
	if err := v.takeRoom(in, min(10*size, in.Share())); err != nil {
		return err
	}
	arrival := http.NewResponseController(v.w)
	_ = arrival.SetReadDeadline(time.Now().Add(within)) // a server without deadlines has none
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm())
	err := v.r.ParseForm()
	_ = arrival.SetReadDeadline(time.Time{})
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return workspace.Errorf(workspace.ErrTooLarge, "the form has over %d bytes", large.Limit)
		}
		return workspace.Errorf(workspace.ErrInvalid, "the form cannot be read")
	}
	v.form = v.r.PostForm
	if !isFormToken(v.session, v.form.Get("token")) {
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

// workspace returns the workspace of the agent in the path of the request. An agent that is
// not the person's and one that cannot exist are the same [errNothingHere].
func (v *visit) workspace(n need) (*workspace.Workspace, error) {
	return v.workspaceOf(v.r.PathValue("agent"), n)
}

func (v *visit) workspaceOf(agent string, n need) (*workspace.Workspace, error) {
	p := v.person
	switch {
	case p.Allow == nil || !p.Allow(agent):
		return nil, errNothingHere
	case n != toWrite && !p.Read:
		return nil, errMayNotRead
	case n != toRead && !p.Write:
		return nil, errMayNotWrite
	}
	ws, err := p.Service.Look(agent)
	if err != nil {
		return nil, errNothingHere
	}
	return ws.As(v.author()), nil
}

// author is the author of what the person changes.
func (v *visit) author() workspace.Author {
	return workspace.Author{Client: "scratchpad console", Version: v.h.o.Version, Key: v.person.Key}
}
