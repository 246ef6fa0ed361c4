// Package member changes single members of JSON. All other bytes stay as they are, since
// a prompt cache depends on them.
package member

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Edit calls f for each member of an object, in order. f returns the new value, or nil to
// remove the member. If raw is not an object, Edit returns raw.
func Edit(raw json.RawMessage, f func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return raw
	}
	done := int(d.InputOffset())
	out := slices.Clone(raw[:done])
	empty, changed := true, false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return raw
		}
		var old json.RawMessage
		if err := d.Decode(&old); err != nil {
			return raw
		}
		end := int(d.InputOffset())
		name, _ := key.(string)
		value := f(name, old)
		changed = changed || !bytes.Equal(value, old)
		if value != nil {
			before := raw[done : end-len(old)]
			if empty { // the members before it were removed
				before = bytes.TrimPrefix(bytes.TrimLeft(before, " \t\r\n"), []byte(","))
			}
			out = append(append(out, before...), value...)
			empty = false
		}
		done = end
	}
	if !changed {
		return raw
	}
	return append(out, raw[done:]...)
}

// Each replaces each element of a list with what f returns. If raw is not a list, Each
// returns raw.
func Each(raw json.RawMessage, f func(i int, value json.RawMessage) json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return raw
	}
	var out json.RawMessage
	done := 0
	for i := 0; d.More(); i++ {
		var old json.RawMessage
		if err := d.Decode(&old); err != nil {
			return raw
		}
		end := int(d.InputOffset())
		out = append(append(out, raw[done:end-len(old)]...), f(i, old)...)
		done = end
	}
	return append(out, raw[done:]...)
}

// Drop removes the members with these paths from an object, or from each object of a
// list. A path names the type of the object, and the members down to the one to remove.
// A type in brackets limits a member to objects of this type:
//
//	text.citations[char_location].file_id
func Drop(raw json.RawMessage, paths []string) json.RawMessage {
	if !slices.ContainsFunc(paths, func(p string) bool {
		return bytes.Contains(raw,
			[]byte(p[strings.LastIndexByte(p, '.')+1:]))
	}) {
		return raw
	}
	return dropTyped(raw, paths, func(path string) (kind, rest string) {
		kind, rest, _ = strings.Cut(path, ".")
		return kind, rest
	})
}

// dropTyped removes members of objects of the type that a path begins with. cut takes the
// type off a path; "" stands for any type.
func dropTyped(raw json.RawMessage, paths []string, cut func(path string) (kind, rest string)) json.RawMessage {
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); bytes.HasPrefix(trimmed, []byte("[")) {
		return Each(raw, func(_ int, value json.RawMessage) json.RawMessage { return dropTyped(value, paths, cut) })
	}
	var object struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return raw
	}
	var rests []string
	for _, p := range paths {
		if kind, rest := cut(p); kind == "" || kind == object.Type {
			rests = append(rests, rest)
		}
	}
	return dropMembers(raw, rests)
}

// dropMembers removes members of an object.
func dropMembers(raw json.RawMessage, paths []string) json.RawMessage {
	if len(paths) == 0 {
		return raw
	}
	return Edit(raw, func(name string, value json.RawMessage) json.RawMessage {
		var inner []string
		for _, p := range paths {
			switch rest, ok := strings.CutPrefix(p, name); {
			case !ok:
			case rest == "":
				return nil
			case rest[0] == '.' || rest[0] == '[':
				inner = append(inner, rest)
			}
		}
		if inner == nil {
			return value
		}
		return dropTyped(value, inner, func(rest string) (string, string) {
			if rest[0] == '.' {
				return "", rest[1:]
			}
			kind, rest, _ := strings.Cut(rest[1:], "].")
			return kind, rest
		})
	})
}

// Set gives a member of an object a value. If the object lacks the member, it becomes the
// last one.
func Set(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	found, empty := false, true
	edited := Edit(object, func(n string, old json.RawMessage) json.RawMessage {
		empty = false
		if n != name {
			return old
		}
		found = true
		return value
	})
	body, is := bytes.CutSuffix(bytes.TrimRight(object, " \t\r\n"), []byte("}"))
	if found || !is {
		return edited
	}
	out := slices.Clone(body)
	if !empty {
		out = append(out, ',')
	}
	out = append(out, `"`+name+`":`...)
	return append(append(out, value...), '}')
}
