package store

// A Row is one row of an owner's data. [Store.Dump] returns Rows and [Store.Restore] stores
// them. Exactly one of the pointers is set.
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
