package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// property is one argument of a tool.
type property struct {
	name, kind  string // kind: "string", "integer", "boolean", "array"
	description string
	required    bool
	more        string // of its schema, from the comma on; "": nothing
}

// schema returns the JSON Schema of a tool's arguments. It does not say that other
// arguments are refused, which would cost every model 5 tokens for each tool.
func schema(properties []property) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"type":%q`, p.name, p.kind)
		if p.description != "" {
			fmt.Fprintf(&b, `,"description":%q`, p.description)
		}
		b.WriteString(p.more + "}")
		if p.required {
			required = append(required, strconv.Quote(p.name))
		}
	}
	b.WriteByte('}')
	if required != nil {
		fmt.Fprintf(&b, `,"required":[%s]`, strings.Join(required, ","))
	}
	b.WriteByte('}')
	return b.Bytes()
}
