package store

// A Row is one row of what an owner has, as [Store.Dump] gives it and [Store.Restore] takes
// it. One of the pointers is set.
type Row struct {
	State   *OwnerState
	Change  *Change
	File    *FileHead
	Version *Version // with its content
	Summary *Summary
	Log     *LogHead
	Entry   *Entry
	Request *Request

	Path string // of the file of a Version or a Summary, or of the log of an Entry; else ""
}
