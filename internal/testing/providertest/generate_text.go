package providertest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// An object is a JSON object whose members keep their order: a name, its value, and so
// on.
type object []any

// encode returns a value as JSON, with <, > and & as they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	writeJSON(&b, v)
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i := range v {
			if i > 0 {
				b.WriteByte(",:"[i%2])
			}
			writeJSON(b, v[i])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, v[i])
		}
		b.WriteByte(']')
	case json.RawMessage:
		b.Write(v)
	default:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err) // all values have a JSON form
		}
		b.Truncate(b.Len() - 1) // a line break
	}
}

func pick[T any](g *generator, from ...T) T { return from[g.r.IntN(len(from))] }

var words = []string{
	"the", "build", "is", "red", "since", "yesterday", "please", "look", "at", "it", "we", "decided", "to", "keep",
	"Postgres",
	"internal/app/main.go:42", "`go test -race ./...`", "https://example.com/a?b=c&d=e#f", "12.5 ms", "v1.24.0", "3 GiB",
	"9f86d081884c7d659a2feaa0c55ad015", "\"never on Fridays\"", "CVE-2026-12345", "\n", "\n\n", "\r\n", "\t",
	"größer", "文件", "файл", "مرحبا", "👩‍👩‍👧", "e\u0301", "\u2028", "\ufeff", "\ufffd", "\U0010ffff", "<b>&amp;</b>", `\u0041`, "»user:", "</summary>",
	"```sh\nmake check\n```", "$ git rebase -i HEAD~3", "{\"a\": [1, 2]}",
}

// text returns a text that is not blank and has no whitespace at its ends. Some texts
// come again and again, as in real conversations.
func (g *generator) text() string {
	if g.one(20) {
		return pick(g, "Go on.", "Be brief.")
	}
	n := 1 + g.r.IntN(12)
	if g.one(25) {
		n = 100 + g.r.IntN(300)
	}
	var b strings.Builder
	fmt.Fprint(&b, pick(g, "Well", "So", "Now", "文", "🙂"))
	for range n {
		b.WriteByte(' ')
		b.WriteString(pick(g, words...))
	}
	b.WriteString(pick(g, ".", "!", "?", "…", "。"))
	return b.String()
}

// output returns the output of a tool, which is not empty.
func (g *generator) output() string {
	return pick(g, "", " ", "\n", "{\"ok\":true}\n", "exit status 1\n") + g.text() + pick(g, "", "\n", "  ")
}

// arguments returns a JSON object, not always in its shortest form.
func (g *generator) arguments() string {
	switch g.r.IntN(6) {
	case 0:
		return "{}"
	case 1:
		return fmt.Sprintf("{ \"path\" : %s,\n  \"lines\": [1, 2.50, 1e3] }", encode(g.text()))
	case 2:
		return fmt.Sprintf(`{"command":%s,"timeout":%d}`, encode("go test ./... && "+g.text()), g.r.IntN(100))
	case 3:
		return `{"nested":{"a":[{"b":null},true],"é":"\u00e9\ud83d\ude00"},"big":12345678901234567890}`
	}
	return fmt.Sprintf(`{"path":%s}`, encode(pick(g, "main.go", "docs/a b.md", "文件.txt")))
}

func (g *generator) image() conversation.Part {
	if g.one(2) {
		return conversation.Part{Type: conversation.ImagePart, URL: "https://example.com/a.png?n=" +
			fmt.Sprint(g.r.IntN(1000))}
	}
	data := make([]byte, 1+g.r.IntN(40))
	for i := range data {
		data[i] = byte(g.r.IntN(256))
	}
	return conversation.Part{
		Type: conversation.ImageB64Part, Data: base64.StdEncoding.EncodeToString(data),
		MediaType: pick(g, "image/png", "image/jpeg", "image/gif", "image/webp"),
	}
}

// parts returns what the user says, mostly one text.
func (g *generator) parts() []conversation.Part {
	parts := []conversation.Part{{Type: conversation.TextPart, Text: g.text()}}
	for g.one(4) {
		if g.one(2) {
			parts = append(parts, g.image())
		} else {
			parts = append(parts, conversation.Part{Type: conversation.TextPart, Text: g.text()})
		}
	}
	g.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}

// content returns the parts of the message. Its Content is one part.
func content(m conversation.Message) []conversation.Part {
	if m.Parts != nil || m.Content == "" {
		return m.Parts
	}
	return []conversation.Part{{Type: conversation.TextPart, Text: m.Content}}
}

// dataURL returns the URL of an image in the form of the OpenAI APIs.
func dataURL(p conversation.Part) string {
	if p.Type == conversation.ImageB64Part {
		return "data:" + p.MediaType + ";base64," + p.Data
	}
	return p.URL
}
