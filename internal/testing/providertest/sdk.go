package providertest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// OutputOnly compares a type of an SDK's answers with the type of its requests. It
// returns the members that the answers have and the requests lack, sorted. A path names
// the type of the block or item, and the members down to the one that is missing:
//
//	text.citations[char_location].file_id
//
// A variant of a union that the requests lack is a path that ends with the variant:
// "fallback", or "text.citations[later_location]". OutputOnly knows the form of the SDKs
// of Anthropic and OpenAI, which one generator writes.
func OutputOnly(output, input reflect.Type) []string {
	w := sdkWalk{paths: map[string]bool{}}
	w.compare("", output, []reflect.Type{input})
	paths := make([]string, 0, len(w.paths))
	for p := range w.paths {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// Variants returns the types of the objects that a union holds, sorted by their names in
// JSON: the value of "type".
func Variants(union reflect.Type) []string {
	var names []string
	for _, v := range variantsOf(union) {
		if v.name != "" {
			names = append(names, v.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

type sdkWalk struct {
	paths map[string]bool
	depth int
}

// compare compares an output type with the input types that may take its place.
func (w *sdkWalk) compare(path string, output reflect.Type, inputs []reflect.Type) {
	if w.depth > 20 {
		return // a type that holds itself
	}
	w.depth++
	defer func() { w.depth-- }()
	var objects []variant
	for _, in := range inputs {
		objects = append(objects, variantsOf(in)...)
	}
	if len(objects) == 0 {
		return // any value
	}
	for _, out := range variantsOf(output) {
		same, inner := objects, path
		if out.name != "" {
			same = slices.DeleteFunc(slices.Clone(objects), func(v variant) bool { return v.name != out.name })
			if inner = out.name; path != "" {
				inner = path + "[" + out.name + "]"
			}
		}
		if len(same) == 0 && out.guessed {
			same, inner = objects, path
		}
		if len(same) == 0 {
			w.paths[inner] = true
			continue
		}
		w.members(inner, out, same)
	}
}

func (w *sdkWalk) members(path string, output variant, inputs []variant) {
	for name, t := range membersOf(output.Type) {
		var types []reflect.Type
		for _, in := range inputs {
			if m, ok := membersOf(in.Type)[name]; ok {
				types = append(types, m.Type)
			}
		}
		inner := strings.TrimPrefix(path+"."+name, ".")
		if len(types) == 0 {
			w.paths[inner] = true
			continue
		}
		w.compare(inner, t.Type, types)
	}
}

// A variant is an object that a type may stand for.
type variant struct {
	reflect.Type
	name    string // if the type is a union: the value of "type", or "" if there is none
	guessed bool   // the SDK leaves the value open, and name is made from the variant's name
}

// variantsOf returns the objects that a type stands for: those of a union, or itself.
// Texts and numbers are left out.
func variantsOf(t reflect.Type) []variant {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if !strings.Contains(t.Name(), "Union") {
		if len(membersOf(t)) == 0 {
			return nil
		}
		return []variant{{Type: t}}
	}
	var found []variant
	add := func(name string, t reflect.Type) {
		for _, v := range variantsOf(t) {
			if m, ok := membersOf(v.Type)["type"]; ok && v.name == "" {
				if v.name = m.Tag.Get("default"); v.name == "" {
					v.name, v.guessed = snakeCase(name), true
				}
			}
			found = append(found, v)
		}
	}
	for m := range t.Methods() { // of answers
		if name, ok := strings.CutPrefix(m.Name, "As"); ok && name != "Any" && m.Type.NumIn() == 1 &&
			m.Type.NumOut() == 1 {
			add(name, m.Type.Out(0))
		}
	}
	if found == nil {
		for f := range t.Fields() { // of requests
			if name, ok := strings.CutPrefix(f.Name, "Of"); ok {
				add(name, f.Type)
			}
		}
	}
	return found
}

// snakeCase returns the name ComputerCall as computer_call.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// membersOf returns an object's members by their names in JSON.
func membersOf(t reflect.Type) map[string]reflect.StructField {
	members := map[string]reflect.StructField{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && f.IsExported() && f.Type.Kind() == reflect.Struct:
			maps.Copy(members, membersOf(f.Type))
		case f.IsExported() && name != "" && name != "-":
			members[name] = f
		}
	}
	return members
}

// Example returns a block or an item with the member that a path of [OutputOnly] names.
// The member's value is the text "output only".
func Example(path string) string {
	kind, rest, _ := strings.Cut(path, ".")
	members := strings.Split(rest, ".")
	text := `"output only"`
	for _, m := range slices.Backward(members) {
		name, inner, is := strings.Cut(m, "[")
		if is && strings.HasPrefix(text, "{") {
			text = `[{"type":"` + strings.TrimSuffix(inner, "]") + `",` + text[1:] + `]`
		}
		text = `{"` + name + `":` + text + `}`
	}
	return `{"type":"` + kind + `",` + text[1:]
}
