package failure

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Words are the flags and commands by which a person knows the arguments and the
// calls of a workspace. No other package words an error of the workspace for the
// command line.
var Words = store.Words{
	Arg: map[store.Arg]string{
		store.ArgAgent:       "agent_id",
		store.ArgIfVersion:   "--if-version",
		store.ArgVersion:     "--version",
		store.ArgFromLine:    "--from-line",
		store.ArgToLine:      "--to-line",
		store.ArgContext:     "--context",
		store.ArgOld:         "the text to replace",
		store.ArgNew:         "the one that replaces it",
		store.ArgAll:         "--all",
		store.ArgSinceEntry:  "--since",
		store.ArgTail:        "--tail",
		store.ArgSinceChange: "--since",
		store.ArgWhere:       "--where",
		store.ArgOnce:        "--once",
		store.ArgSection:     "--section",
		store.ArgThrough:     "--through",
		store.ArgNewPath:     "new path",
		store.ArgLimit:       "--limit",
		store.ArgAfter:       "--after",
	},
	Way:    wayOut,
	NoKind: true,
}

// wayOut names the flag or the command that helps. It returns "" where the words of
// package workspace do.
func wayOut(e *workspace.Error) string {
	var raise string
	if e.Quota != nil && flags.Raising(e.Quota.Of) != "" {
		raise = ", or raise " + flags.Raising(e.Quota.Of)
	}
	switch e.Way.Do {
	case store.DoReadSince:
		return fmt.Sprintf("see what changed with scratchpad files diff %s %d", operand(e.Object), e.Way.N)
	case store.DoReadFile:
		return "print it with scratchpad files cat"
	case store.DoReadLog:
		return "scratchpad logs cat prints it"
	case store.DoList:
		return "scratchpad files ls shows those that exist"
	case store.DoOtherPath:
		return "give another path, or delete that file with scratchpad files rm"
	case store.DoGiveMoreText:
		return "give more of the text around it, or give --all"
	case store.DoSplitFile:
		return "split it into several files" + raise
	case store.DoSplitEntry:
		return "split it into several entries" + raise
	case store.DoUnicodePaths:
		return "--paths unicode allows it"
	case store.DoDelete:
		return "delete what is not needed" + raise
	case store.DoCallChanges:
		return "scratchpad changes shows what is there now"
	case store.DoSearchExact:
		return "give --exact to look for it as it stands"
	case store.DoRestore:
		return fmt.Sprintf("scratchpad files restore %[1]s brings it back, and "+
			"scratchpad files cat %[1]s --version %[2]d prints it", operand(e.Object), e.Way.N)
	case store.DoDropDeleted:
		return "scratchpad files rm --for-good drops those that scratchpad files ls --deleted lists" + raise
	case store.DoFreeStore:
		return "delete agents with scratchpad agents rm" + raise
	}
	return ""
}

// operand returns a path as the shell and the command line take it.
func operand(path string) string {
	if strings.HasPrefix(path, "-") {
		return "-- " + native.Quote(path)
	}
	return native.Quote(path)
}

// Text returns the text of an error for a person.
func Text(err error) string {
	switch e := err.(type) {
	case *workspace.Error:
		if text := ofHome(e); text != "" {
			return text
		}
		return e.Text(Words)
	case hinted:
		return Text(e.error)
	case marked:
		return Text(e.error) + e.more
	}
	return err.Error()
}

// ofHome is the text of an error of a path that an agent may have under "~/", or that a shell has
// made of one; "" for other errors.
func ofHome(e *workspace.Error) string {
	if e.Arg != store.ArgPath && e.Arg != store.ArgNewPath && e.Arg != store.ArgPrefix {
		return ""
	}
	rest, found := strings.CutPrefix(e.Object, "~/")
	if home, err := os.UserHomeDir(); !found && err == nil && home != "/" {
		rest, found = strings.CutPrefix(e.Object, strings.TrimRight(home, "/")+"/")
	}
	if !found {
		return ""
	}
	if rest == "" {
		return native.Quote(e.Object) + ": ~/ is for the tools of agents; here leave it out, and give --agent default"
	}
	return fmt.Sprintf("%s: ~/ is for the tools of agents; here the file is %s, with --agent default",
		native.Quote(e.Object), native.Quote(rest))
}

// AsAct returns the error of a look as that of the act which the look was for.
func AsAct(act string, err error) error {
	e, ok := err.(*workspace.Error)
	if !ok {
		return err
	}
	named := *e
	named.Op = act
	return &named
}

// On returns the error of an operation on an object.
func On(op, object string, e *workspace.Error) error {
	e.Op, e.Object = op, object
	return e
}

// OfKeys adds to an error about API keys and tenants the commands that help.
func OfKeys(err error) error {
	var has hinted
	switch {
	case err == nil, errors.As(err, &has):
		return err
	case errors.Is(err, workspace.ErrNotFound):
		return hinted{err, "scratchpad keys ls lists them"}
	case errors.Is(err, workspace.ErrQuota):
		return hinted{err, "scratchpad keys revoke, scratchpad tenants set"}
	}
	return err
}
