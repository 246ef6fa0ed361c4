package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// An Arg is an argument of a call, or a field of its options, in an [Error]. A front end gives
// Args names of its own in [Words].
type Arg int

// The arguments.
const (
	ArgAgent Arg = iota + 1
	ArgPath
	ArgNewPath
	ArgPrefix
	ArgAfter
	ArgIfVersion
	ArgVersion
	ArgSince // of ReadOptions
	ArgContext
	ArgFromLine
	ArgToLine
	ArgMaxTokens
	ArgOld
	ArgNew
	ArgAll
	ArgSinceEntry // Since of ReadLogOptions
	ArgLimit
	ArgTail
	ArgThrough
	ArgSinceChange // Since of ChangesOptions
	ArgWhere
	ArgOnce
	ArgSection
)

var argNames = map[Arg]string{
	ArgAgent: "agent", ArgPath: "path", ArgNewPath: "newPath", ArgPrefix: "prefix", ArgAfter: "After",
	ArgIfVersion: "IfVersion", ArgVersion: "Version",
	ArgSince: "Since", ArgContext: "Context", ArgFromLine: "FromLine", ArgToLine: "ToLine", ArgMaxTokens: "MaxTokens",
	ArgOld: "old", ArgNew: "new", ArgAll: "All", ArgSinceEntry: "Since", ArgLimit: "Limit", ArgTail: "Tail",
	ArgThrough:     "through",
	ArgSinceChange: "Since", ArgWhere: "Where", ArgOnce: "Once", ArgSection: "Section",
}

// String returns the name of the argument or the field in Go, such as IfVersion.
func (a Arg) String() string { return argNames[a] }

// A Way is a way out of an error. The zero value means that there is no way, or that the text of
// the error names the way.
type Way struct {
	Do   Action // 0: none
	N    int64  // for the actions that name N
	Name string // for DoUseName
}

// An Action is a step that a caller can take after an error.
type Action int

// The actions.
const (
	DoRead         Action = iota + 1 // read the file before the next try
	DoReadSince                      // read what changed after version N
	DoReadWhole                      // read without Since, or with one of 1 to N
	DoReadFile                       // read the file in place of a summary of it
	DoReadLog                        // read the log of the same name
	DoList                           // list the files that exist
	DoUseName                        // use Name, the most similar name that exists
	DoUseVersion                     // use a retained version; the text of the error names them
	DoExpectNone                     // give 0 for IfVersion: the file does not exist
	DoOtherPath                      // give another new path, or delete the file that is there
	DoGiveAtMost                     // give N or less
	DoGiveMoreText                   // give more of the text around the passage, or set All
	DoSplitFile                      // split the text into several files
	DoSplitEntry                     // split the text into several entries
	DoDelete                         // delete what the agent does not need, or raise the limit of the agent
	DoFreeStore                      // delete agents, or raise the limit of the store
	DoNewKey                         // use a new idempotency key
	DoRetry                          // try again
	DoUnicodePaths                   // use a Service with UnicodePaths, which allow this name
	DoCallChanges                    // call Changes with N as its cursor
	DoSearchExact                    // search for the query as it stands, with Exact
	DoRestore                        // restore the deleted file, or read its version N
	DoDropDeleted                    // delete deleted files for good, or raise the limit of the store
	DoOutside                        // call from outside of the project, or let a person do so
)

// Words are the terms of a front end for the text of an [Error]. The zero value has the terms
// of Go.
type Words struct {
	Arg    map[Arg]string      // the names of arguments; a missing argument keeps its name in Go
	Way    func(*Error) string // returns the text of the way out; "" or a nil Way: the text for Go
	NoKind bool                // leaves out the text of the kind
}

// Error returns the text of the error in terms of Go: the operation, the object, the cause, the
// way out and the kind.
func (e *Error) Error() string { return e.Text(Words{}) }

// Text returns the text of the error in the terms of a front end.
func (e *Error) Text(w Words) string {
	var b strings.Builder
	if head := e.head(w); head != "" {
		b.WriteString(head + ": ")
	}
	if inner, ok := e.Err.(*Error); ok && e.format == "" {
		return b.String() + inner.Text(w)
	}
	b.WriteString(e.cause(w))
	if way := e.way(w); way != "" {
		b.WriteString("; " + way)
	}
	if e.Kind != nil && !w.NoKind && (e.format != "" || e.Err != nil && Kind(e.Err) == nil) {
		b.WriteString(": " + e.Kind.Error())
	}
	return b.String()
}

// head returns what was tried on what.
func (e *Error) head(w Words) string {
	var words []string
	if e.Op != "" {
		words = append(words, e.Op)
	}
	if e.Arg != 0 {
		words = append(words, w.arg(e.Arg))
	}
	if e.Object != "" || e.Arg != 0 {
		words = append(words, names.Clip(e.Object))
	}
	return strings.Join(words, " ")
}

// cause returns the text of the cause.
func (e *Error) cause(w Words) string {
	switch {
	case e.format == "" && e.Err != nil:
		return e.Err.Error()
	case e.format == "" && e.Kind != nil:
		return e.Kind.Error()
	}
	args := slices.Clone(e.args)
	for i, a := range args {
		if a, ok := a.(Arg); ok {
			args[i] = w.arg(a)
		}
	}
	return fmt.Sprintf(e.format, args...)
}

// ways are the texts of the actions that always have the same.
var ways = map[Action]string{
	DoRead:         "read it first",
	DoReadFile:     "use ReadFile",
	DoReadLog:      "use ReadLog",
	DoList:         "ListFiles shows those that exist",
	DoExpectNone:   "for a file that is not there give 0",
	DoGiveAtMost:   "give that or less",
	DoSplitFile:    "split it into several files",
	DoSplitEntry:   "split it into several entries",
	DoDelete:       "delete what is not needed",
	DoFreeStore:    "delete agents, or raise the limit in StoreLimits",
	DoNewKey:       "take a new key",
	DoRetry:        "try again",
	DoUnicodePaths: "UnicodePaths allow it",
	DoCallChanges:  "Changes says what is there now",
	DoSearchExact:  "set Exact to look for it as it stands",
	DoDropDeleted:  "DeleteFile with ForGood drops them",
	DoOutside:      "only a person or a session outside of projects can",
}

// way returns the text of the way out.
func (e *Error) way(w Words) string {
	if w.Way != nil {
		if text := w.Way(e); text != "" {
			return text
		}
	}
	switch e.Way.Do {
	case DoReadSince:
		return fmt.Sprintf("read it with %s %d to see what changed", w.arg(ArgSince), e.Way.N)
	case DoReadWhole:
		if e.Way.N == 1 {
			return "read without " + w.arg(ArgSince)
		}
		return fmt.Sprintf("read without %s, or give 1 to %d", w.arg(ArgSince), e.Way.N)
	case DoUseName:
		return "the nearest name is " + names.Clip(e.Way.Name)
	case DoOtherPath:
		return "give another " + w.arg(ArgNewPath) + ", or delete that file first"
	case DoGiveMoreText:
		return "give more of the text around it, or set " + w.arg(ArgAll)
	case DoRestore:
		return fmt.Sprintf("RestoreFile brings it back, and ReadFile with %s %d shows it", w.arg(ArgVersion), e.Way.N)
	case DoOutside:
		if e.Quota != nil {
			return "a project has half of the limit; a person or a session outside of projects can make room"
		}
	}
	return ways[e.Way.Do]
}

func (w Words) arg(a Arg) string {
	if name, ok := w.Arg[a]; ok {
		return name
	}
	return a.String()
}
