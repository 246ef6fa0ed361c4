package workspace

import "github.com/agent-scratchpad/scratchpad/workspace/internal/fault"

// How this package builds its errors; see package fault.
var (
	badArgument  = fault.BadArgument
	within       = fault.Within
	or           = fault.Or
	checkNumber  = fault.CheckNumber
	checkRange   = fault.CheckRange
	setLimit     = fault.SetLimit
	checkContext = fault.CheckContext
)

// fail returns the error of an operation on an object.
func fail(kind error, op, object, cause string, args ...any) error {
	return fault.New(kind, op, object, cause, args...)
}
