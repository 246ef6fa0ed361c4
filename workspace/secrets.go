package workspace

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
)

// A SecretRule says what a write does with a secret of known form, such as an API key or a
// private key. It holds for files and log entries that an agent or a person writes, and for their
// paths. RestoreFile, MoveFile without Content, imports, [Saver] and [Journal] store every text, and
// do not look. A summary that a model makes is stored with its secrets replaced, unless the rule is
// SecretsOff.
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
	Entry int64  // its number; 0: the secret is not in a log entry
	Line  int64  // from 1; 0: the secret is in the path
	Kind  string // such as "GitHub token"
}

// Secrets are the secrets of a text.
type Secrets struct {
	List  []Secret // the first ten, in order
	Total int64    // number of all
}

const maxSecrets = 10

// String says where the first secret is and how many more there are, such as "line 12 has a
// secret (GitHub token), and there are 2 more".
func (s *Secrets) String() string {
	first := s.List[0]
	text := fmt.Sprintf("line %d has a secret (%s)", first.Line, first.Kind)
	if first.Line == 0 {
		text = fmt.Sprintf("the path has a secret (%s)", first.Kind)
	}
	switch more := s.Total - 1; more {
	case 0:
	case 1:
		text += ", and there is 1 more"
	default:
		text += fmt.Sprintf(", and there are %d more", more)
	}
	return text
}

// Command returns the command of a person that removes the first secret from a file or log of an
// agent. If the path of a file has a secret and its text too, there are two commands, with "; "
// between them. A log whose path has a secret can only be deleted.
func (s *Secrets) Command(agent string, kind PathKind, path string) string {
	if strings.Contains(path, " ") {
		path = "'" + path + "'" // no other character of a path needs quotes
	}
	first, last := s.List[0], s.List[len(s.List)-1]
	in := path + " --agent " + agent
	move := fmt.Sprintf("scratchpad files mv %s NEW --agent %s", path, agent)
	switch {
	case kind == KindLog && first.Line == 0:
		return "scratchpad logs rm " + in
	case kind == KindLog:
		return fmt.Sprintf("scratchpad logs redact %s %d --agent %s", path, first.Entry, agent)
	case last.Line == 0:
		return move
	case first.Line == 0:
		return "scratchpad files redact " + in + "; " + move
	}
	return "scratchpad files redact " + in
}

// SecretsRecord is the part of an answer in JSON that says which secrets a write has stored.
type SecretsRecord struct {
	Secrets []SecretRecord `json:"secrets,omitempty"`
	More    int64          `json:"more_secrets,omitempty"`
	Remove  string         `json:"to_remove,omitempty"` // see [Secrets.Command]
}

// SecretRecord is a [Secret] in JSON.
type SecretRecord struct {
	Entry int64  `json:"entry_id,omitempty"`
	Line  int64  `json:"line,omitempty"`
	Kind  string `json:"kind"`
}

// Record returns the secrets as an answer has them, and the zero value for nil. Its arguments are
// those of Command.
func (s *Secrets) Record(agent string, kind PathKind, path string) (r SecretsRecord) {
	if s == nil {
		return r
	}
	for _, one := range s.List {
		r.Secrets = append(r.Secrets, SecretRecord(one))
	}
	r.More, r.Remove = s.Total-int64(len(s.List)), s.Command(agent, kind, path)
	return r
}

// FindSecrets returns the secrets of known form in a text, or nil if there are none.
func FindSecrets(text []byte) *Secrets {
	s, _ := listSecrets(nil, secrets.Find(text), text, 0, SecretsOff)
	return s
}

// listSecrets adds the secrets that were found in a text to a list, which is nil if it is empty.
// The error is of the first secret that the rule refuses.
func listSecrets(s *Secrets, found []secrets.Secret, text []byte, entry int64, rule SecretRule) (*Secrets, error) {
	var refused error
	line, at := int64(1), 0
	for _, f := range found {
		line += int64(bytes.Count(text[at:f.Start], []byte("\n")))
		at = f.Start
		if s == nil {
			s = new(Secrets)
		}
		if s.Total++; len(s.List) < maxSecrets {
			s.List = append(s.List, Secret{Entry: entry, Line: line, Kind: f.Kind})
		}
		if refused == nil && rule == SecretsRefuse && !f.Weak {
			refused = Errorf(ErrInvalid, "line %d has a secret (%s), and secrets are refused here; leave it out", line,
				f.Kind)
		}
	}
	return s, refused
}

// findSecrets returns the secrets of a text, or none if the workspace does not look.
func (w *Workspace) findSecrets(text []byte) []secrets.Secret {
	if w.secrets == SecretsOff {
		return nil
	}
	return secrets.Find(text)
}

// checkSecrets keeps those of the secrets that were found in a new version which the version that
// was loaded does not have. It refuses them if the service does.
func (r *run) checkSecrets(found []secrets.Secret, text []byte) (err error) {
	if err = r.checkPathSecrets(r.File.Exists()); err != nil {
		return err
	}
	fresh := secrets.New(found, r.Version.Content)
	r.secrets, err = listSecrets(r.secrets, fresh, text, 0, r.w.secrets)
	return err
}

// checkPathSecrets looks at the path of a file or log that may be made now.
func (r *run) checkPathSecrets(exists bool) (err error) {
	if r.secrets = nil; exists {
		return nil
	}
	path := []byte(r.path)
	if r.secrets, err = listSecrets(nil, r.w.findSecrets(path), path, 0, r.w.secrets); err != nil {
		return Errorf(ErrInvalid, "the path has a secret, and secrets are refused here; give another path")
	}
	if r.secrets != nil {
		for i := range r.secrets.List {
			r.secrets.List[i].Line = 0
		}
	}
	return nil
}

// entrySecrets returns the secrets of a log's path and of the entries that were appended, which
// are numbered from 1 in of.
func (r AppendResult) entrySecrets(of *Secrets) *Secrets {
	if of == nil || r.Secrets == nil {
		r.Secrets = cmp.Or(r.Secrets, of)
	} else {
		r.Secrets.List = append(r.Secrets.List, of.List...)
		r.Secrets.Total += of.Total
	}
	if of != nil {
		for i := range r.Secrets.List {
			if one := &r.Secrets.List[i]; one.Entry > 0 {
				one.Entry += r.First - 1
			}
		}
	}
	return r.Secrets
}

// shown returns the object of a write for its error, without a secret.
func (c *write) shown() string {
	return string(secrets.Redact([]byte(c.object), c.w.findSecrets([]byte(c.object))))
}
