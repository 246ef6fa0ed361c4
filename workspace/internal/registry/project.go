package registry

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// project is the value of a record, as JSON.
type project struct {
	Folder string `json:"folder"`
}

// Projects say which folder an agent of a tenant is the memory of.
type Projects struct {
	Records store.Records
	Tenant  string
}

// Folder returns the folder that has an agent, "" if none has it. Errors:
// [store.ErrCorrupt] and those of the records.
func (p Projects) Folder(name string) (string, error) {
	of, _, err := get[project](p.Records, "project/"+p.Tenant+"/"+name)
	return of.Folder, err
}
