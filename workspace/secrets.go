package workspace

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
)

// A SecretRule says what a write does with a secret of known form, such as an API key or a
// private key. It holds for files and log entries that an agent or a person writes. Paths are not
// looked at. RestoreFile, MoveFile without Content, imports, [Saver] and [Journal] store every text,
// and do not look. A summary that a model makes is stored with its secrets replaced, unless the rule
// is SecretsOff.
//
// What is looked at are the bytes that are stored. A secret in base64, or with a line break in it,
// is not found.
type SecretRule int

const (
	SecretsOff  SecretRule = iota // nobody looks for secrets
	SecretsWarn                   // a write stores them, and its result says so
	// SecretsRefuse refuses a write with a secret that the version before did not have. The error is
	// ErrInvalid. JSON Web Tokens and Stripe's test keys only warn: they are often no secret.
	SecretsRefuse
)

// String returns "off", "warn" or "refuse".
func (r SecretRule) String() string {
	switch r {
	case SecretsOff:
		return "off"
	case SecretsWarn:
		return "warn"
	}
	return "refuse"
}

// A Secret says where a secret is. It has no part of the secret.
type Secret struct {
	Entry int64  `json:"entry_id,omitempty"` // its number; 0: the secret is in a file
	Line  int64  `json:"line"`               // from 1
	Kind  string `json:"kind"`               // such as "GitHub token"
}

// Secrets are the secrets of a text, as an answer in JSON has them.
type Secrets struct {
	List   []Secret `json:"secrets"`                // the first ten, in order
	More   int64    `json:"more_secrets,omitempty"` // number of all others
	Remove string   `json:"to_remove"`              // the command of a person that removes the first one
}

const maxSecrets = 10

// Text says where the first secret is and how many more there are, such as "line 12 has a
// secret (GitHub token), and there are 2 more".
func (s *Secrets) Text() string {
	text := fmt.Sprintf("line %d has a secret (%s)", s.List[0].Line, s.List[0].Kind)
	switch more := s.More + int64(len(s.List)) - 1; more {
	case 0:
	case 1:
		text += ", and there is 1 more"
	default:
		text += fmt.Sprintf(", and there are %d more", more)
	}
	return text
}

// FindSecrets returns the secrets of known form in a part of a file that begins with line first,
// or nil if there are none.
func (w *Workspace) FindSecrets(path string, part []byte, first int) *Secrets {
	found := secrets.Find(part)
	for i := range found {
		found[i].Line += int64(first) - 1
	}
	return w.listSecrets(nil, found, path, 0)
}

// listSecrets adds the secrets that were found in a file or an entry to a list, which is nil if it
// is empty.
func (w *Workspace) listSecrets(s *Secrets, found []secrets.Secret, path string, entry int64) *Secrets {
	for _, f := range found {
		switch {
		case s == nil:
			if strings.Contains(path, " ") {
				path = "'" + path + "'" // no other character of a path needs quotes
			}
			s = &Secrets{Remove: fmt.Sprintf("scratchpad files redact %s --agent %s", path, w.owner.Agent)}
			if entry > 0 {
				s.Remove = fmt.Sprintf("scratchpad logs redact %s %d --agent %s", path, entry, w.owner.Agent)
			}
		case len(s.List) == maxSecrets:
			s.More++
			continue
		}
		s.List = append(s.List, Secret{Entry: entry, Line: f.Line, Kind: f.Kind})
	}
	return s
}

// findSecrets returns the secrets of a text, or none if the workspace does not look.
func (w *Workspace) findSecrets(text []byte) []secrets.Secret {
	if w.secrets == SecretsOff {
		return nil
	}
	return secrets.Find(text)
}

// refuseSecrets returns the error of the first secret that the workspace refuses.
func (w *Workspace) refuseSecrets(found []secrets.Secret) error {
	for _, f := range found {
		if w.secrets == SecretsRefuse && !f.Weak {
			return Errorf(ErrInvalid, "line %d has a secret (%s), and secrets are refused here; leave it out", f.Line,
				f.Kind)
		}
	}
	return nil
}

// checkSecrets keeps those of the secrets that were found in a new version which the version that
// was loaded does not have. It refuses them if the workspace does.
func (r *run) checkSecrets(found []secrets.Secret) error {
	fresh := secrets.New(found, r.Version.Content)
	r.secrets = r.w.listSecrets(nil, fresh, r.path, 0)
	return r.w.refuseSecrets(fresh)
}
