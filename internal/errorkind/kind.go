// Package errorkind has the table of the kinds of errors: the name of each, and how the command, the
// console, the Memory Stores API and the health check answer it.
package errorkind

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Kind is a row of the table. The zero Kind stands for errors without a kind.
type Kind struct {
	Err  error  // such as [store.ErrNotFound]
	Name string // in JSON, metrics and logs
	Exit int    // the exit code of a command

	Page  int    // the status of HTTP in the console
	Title string // of that page

	API int // the status of HTTP in the Memory Stores API; 0: that of an internal error
	// Safe is what a client on a network is told in place of the text, which may name files of
	// the server. "": the client gets the text.
	Safe string

	State string // why a server is not ready, in words that tell nothing about the machine; "": it does not answer
}

// All are all kinds. An error of several kinds is answered as the first of them.
var All = []Kind{
	{store.ErrNotFound, "not_found", 3, 404, "Not found", 404, "", ""},
	{store.ErrConflict, "conflict", 4, 409, "Changed meanwhile", 409, "", ""},
	{store.ErrTooLarge, "too_large", 5, 413, "Too large", 400, "", ""},
	{store.ErrQuota, "quota", 5, 507, "A limit is reached", 400, "", ""},
	{store.ErrCorrupt, "corrupt", 6, 500, "Damaged", 500, "", "the store is damaged"},
	{store.ErrBusy, "busy", 6, 503, "Busy", 503, "", "the store is busy"},
	{store.ErrStorageFull, "storage_full", 6, 507, "The disk is full", 503,
		"the server's disk is full; ask the operator to make room", "the storage is full"},
	{store.ErrOutcomeUnknown, "outcome_unknown", 6, 500, "It may have worked", 500, "", ""},
	{store.ErrReadOnly, "read_only", 6, 403, "The store takes no changes", 503,
		"the store takes no writes; ask the operator, whose log says why", "the store takes no writes"},
	{store.ErrUnsupported, "unsupported", 6, 501, "Not supported", 500,
		"the server does not know the database any more; ask the operator, whose log says why", ""},
	{store.ErrInvalid, "invalid", 2, 400, "That does not work", 400, "", ""},
	{store.ErrProvider, "provider", 1, 502, "The model's provider", 0, "", ""},
	{store.ErrClosed, "closed", 1, 503, "Stopping", 0, "", ""},
}

// Of returns the kind of an error.
func Of(err error) Kind {
	for _, k := range All {
		if errors.Is(err, k.Err) {
			return k
		}
	}
	return Kind{}
}

// Seconds returns a time in the whole seconds of a Retry-After, at least 1.
func Seconds(after time.Duration) int { return max(1, int(math.Ceil(after.Seconds()))) }

// SetRetry says in the header of an answer when the client may try again.
func SetRetry(h http.Header, after time.Duration) { h.Set("Retry-After", strconv.Itoa(Seconds(after))) }
