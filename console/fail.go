package console

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A problem is an error with the words for a person.
type problem struct {
	status int
	title  string
	text   string
}

func (p *problem) Error() string { return p.text }

var (
	errNothingHere = &problem{http.StatusNotFound, "Nothing here",
		"There is nothing at this address, or it is not yours to see."}
	errMayNotRead = &problem{http.StatusForbidden, "Not allowed",
		"Your key may not read. Ask the operator for one with the scope read."}
	errMayNotWrite = &problem{http.StatusForbidden, "Not allowed",
		"Your key may not write. Ask the operator for one with the scope write."}
	errStaleForm = &problem{http.StatusForbidden, "This page is out of date",
		"You have signed in again since this page was opened, so nothing was changed. Load the page again."}
	errSignedOut = &problem{http.StatusUnauthorized, "Signed out",
		"Your session has ended, so nothing was changed. Sign in again."}
	errBadForm = &problem{http.StatusBadRequest, "That does not work",
		"The form is not one of this page. Load the page again."}
	errOtherRights = &problem{http.StatusForbidden, "Not allowed",
		"What your key may do has changed. Load the page again."}
	errChanged = &problem{http.StatusConflict, "Changed meanwhile",
		"Somebody has changed this file meanwhile, so nothing was done. Load the page of the file again."}
	errNoKeys = &problem{http.StatusForbidden, "Not allowed",
		"Your key may not do this. Ask the operator for one with the scope admin."}
)

// problemOf words an error for a person. An error without a kind is logged, and the person
// is told no more than that.
func (h *Handler) problemOf(ctx context.Context, err error) *problem {
	var told *problem
	var busy *Busy
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &busy):
		return &problem{http.StatusTooManyRequests, "Busy", sentence(busy.Error())}
	case errors.Is(err, ErrSignedOut):
		return errSignedOut
	case errors.Is(err, ErrUnavailable):
		return &problem{http.StatusServiceUnavailable, "Busy", "It cannot be found out now who you are. Try again."}
	}
	if k := errorkind.Of(err); k.Err != nil {
		return &problem{k.Page, k.Title, sentence(textOf(err))}
	}
	if ctx.Err() == nil {
		h.o.Logger.ErrorContext(ctx, "console: a page failed", "error", err)
	}
	return &problem{http.StatusInternalServerError, "Internal error",
		"Something went wrong. The log of the server says what."}
}

// words are the names by which a person knows arguments and actions.
var words = store.Words{
	Arg: map[store.Arg]string{
		store.ArgAgent:     "agent",
		store.ArgIfVersion: "version",
		store.ArgNewPath:   "new path",
		store.ArgThrough:   "entry",
	},
	Way:    wayOut,
	NoKind: true,
}

// textOf returns the text of an error for a person.
func textOf(err error) string {
	if e, ok := err.(*workspace.Error); ok {
		return e.Text(words)
	}
	return err.Error()
}

// wayOut says what a person can do on the pages. It returns "" where the words of package
// workspace do.
func wayOut(e *workspace.Error) string {
	switch e.Way.Do {
	case store.DoRestore:
		return "the page of the agent has it under Deleted files"
	case store.DoList:
		return "the page of the agent has all files and logs"
	case store.DoReadFile, store.DoReadLog, store.DoCallChanges:
		return "load the page again"
	case store.DoUnicodePaths:
		return "the operator can allow it with --paths unicode"
	case store.DoDelete:
		return "delete files or logs that are not needed"
	case store.DoSearchExact:
		return "look for the exact text"
	case store.DoFreeStore:
		return "ask the operator to delete agents or to raise the limit"
	}
	return ""
}

// errorData is what the page about an error shows.
type errorData struct {
	Number int
	Text   string
	Typed  string     // by the person into an editor
	Kept   bool       // there is such a text
	Head   *agentHead // of the agent whose page it is; nil: none

	Restore workspace.FileInfo // the deleted file that can be restored; zero: none
}

// fail answers with an error.
func (h *Handler) fail(v *visit, err error) {
	if v.r.Context().Err() != nil {
		return // nobody waits for the answer
	}
	p := h.problemOf(v.r.Context(), err)
	var busy *Busy
	if errors.As(err, &busy) {
		errorkind.SetRetry(v.w.Header(), busy.After)
	}
	if !wantsHTML(v.r) {
		h.failPlain(v.w, v.r, p.status, p.text)
		return
	}
	d := errorData{Number: p.status, Text: p.text}
	d.Typed, d.Kept = v.typed()
	v.place = place{}
	if v.ws != nil {
		head := v.agentHead("")
		d.Head = &head
		var told *workspace.Error
		if errors.As(err, &told) && told.Way.Do == store.DoRestore && v.person.Write {
			d.Restore = v.deletedFile(v.path())
		}
	}
	_ = v.write(p.status, "error", p.title, d)
}

// failPlain answers with an error in one line of text.
func (h *Handler) failPlain(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(text + "\n")) // the client may be gone
	}
}

// notFound answers a request for an address where nothing can be. It says the same to
// everybody, below the navigation of the person.
func (h *Handler) notFound(w http.ResponseWriter, r *http.Request) {
	switch {
	case wantsHTML(r):
		v := &visit{h: h, w: w, r: r, session: sessionOf(r)}
		v.person, _ = h.o.People.Person(r.Context(), v.session) // who is not known sees no navigation
		h.fail(v, errNothingHere)
	case strings.Contains(r.Header.Get("Accept"), "json"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"there is nothing here"}` + "\n")) // the client may be gone
	default:
		h.failPlain(w, r, http.StatusNotFound, "there is nothing here")
	}
}

func wantsHTML(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Accept")), "text/html")
}
