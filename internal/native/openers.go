package native

// A Process has a file open.
type Process struct {
	ID      int
	Command string // at most 100 characters, as the process gave it; "" if this user may not see it
	Stale   bool   // the file was deleted or replaced since
}
