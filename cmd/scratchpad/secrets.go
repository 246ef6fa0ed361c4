package main

import "github.com/agent-scratchpad/scratchpad/workspace"

// secretsRecord says which secrets a write has stored.
type secretsRecord struct {
	Secrets []secretRecord `json:"secrets,omitempty"`
	More    int64          `json:"more_secrets,omitempty"`
	Remove  string         `json:"to_remove,omitempty"` // the command of a person
}

type secretRecord struct {
	Entry int64  `json:"entry_id,omitempty"`
	Line  int64  `json:"line,omitempty"` // 0: in the path
	Kind  string `json:"kind"`
}

func secretsIn(s *workspace.Secrets, path string) (r secretsRecord) {
	if s == nil {
		return r
	}
	for _, one := range s.List {
		r.Secrets = append(r.Secrets, secretRecord(one))
	}
	r.More, r.Remove = s.Total-int64(len(s.List)), s.Command(path)
	return r
}

// secretsNote is what a command says of secrets that were stored.
func secretsNote(s *workspace.Secrets, path string) string {
	if s == nil {
		return ""
	}
	return "; " + s.String() + ": " + s.Command(path) + " removes it"
}
