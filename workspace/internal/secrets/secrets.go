// Package secrets finds secrets of known form in a text, such as API keys and private keys.
//
// Each form has a prefix. Find looks at each place of the text once. Where a prefix stands, the
// rest of the form is matched at that place and checked: a checksum, the entropy, or words of an
// example. So the time is linear in the size of the text. A secret in base64, or with a line
// break in it, is not found.
package secrets

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// A Secret is a secret in a text.
type Secret struct {
	Kind       string // such as "GitHub token"
	Start, End int    // the secret is text[Start:End]
	Line       int64  // on which it begins, from 1

	// Weak says that the form often stands for no secret, as in an example or a test.
	Weak bool

	id []byte // a part of the text that tells the secret from others
}

// Find returns the secrets of a text, in their order. They do not overlap.
func Find(text []byte) (found []Secret) {
	t := table()
	line, counted := int64(1), 0
	for i := 0; i+1 < len(text); i++ {
		at := t.pair[int(text[i])<<8|int(text[i+1])]
		if at == 0 {
			continue
		}
		for _, p := range t.prefixes[at] {
			if !bytes.HasPrefix(text[i:], p.text) || !p.inside && insideWord(text, i) {
				continue
			}
			if s, ok := p.match(text, i, len(p.text)); ok {
				line += int64(bytes.Count(text[counted:s.Start], []byte("\n")))
				s.Line, counted = line, s.Start
				found = append(found, s)
				i = s.End - 1
				break
			}
		}
	}
	return found
}

// A prefix is one prefix of a form.
type prefix struct {
	text []byte
	*form
}

// A prefixTable finds prefixes by their first two bytes.
type prefixTable struct {
	pair     [1 << 16]byte // the place in prefixes; 0: none begins so
	prefixes [][]prefix
}

// table makes the table, once.
var table = sync.OnceValue(func() *prefixTable {
	t := &prefixTable{prefixes: make([][]prefix, 1)}
	for i := range forms {
		for text := range strings.FieldsSeq(forms[i].prefixes) {
			at := &t.pair[int(text[0])<<8|int(text[1])]
			if *at == 0 {
				*at = byte(len(t.prefixes))
				t.prefixes = append(t.prefixes, nil)
			}
			t.prefixes[*at] = append(t.prefixes[*at], prefix{[]byte(text), &forms[i]})
		}
	}
	return t
})

// insideWord reports whether the place at lies in a word, so that no secret begins there.
func insideWord(text []byte, at int) bool {
	if at == 0 {
		return false
	}
	switch c := text[at-1]; {
	case c == '-':
		return at > 1 && text[at-2] != '\n' // a list or a diff
	case c == 'n' || c == 'r' || c == 't':
		return at == 1 || text[at-2] != '\\' // a line break or tab of JSON
	default:
		return isWord(c)
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// Redact returns the text with "[redacted: KIND]" in the place of each secret.
func Redact(text []byte, found []Secret) []byte {
	var out []byte
	at := 0
	for _, s := range found {
		out = append(append(out, text[at:s.Start]...), "[redacted: "+s.Kind+"]"...)
		at = s.End
	}
	return append(out, text[at:]...)
}

// New returns those of the secrets that an older text does not have.
func New(found []Secret, old []byte) []Secret {
	if len(found) == 0 {
		return nil
	}
	had := map[string]bool{}
	for _, s := range Find(old) {
		had[string(s.id)] = true
	}
	return slices.DeleteFunc(slices.Clone(found), func(s Secret) bool { return had[string(s.id)] })
}
