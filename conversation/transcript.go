package conversation

import (
	"strconv"
	"strings"
)

// Transcript returns the messages as text, for a model that summarises them. Texts are
// complete. Reasoning is left out; a message of nothing else has no line. An image is
// named, but its data is left out.
//
//	»system: You review code.
//	»user: What is wrong here?
//	func f() {}
//	»image: image/png
//	»assistant: I shall look.
//	»call read_file: {"path":"f.go"}
//	»call read_file#2: {"path":"f_test.go"}
//	»result read_file#2: package f
//	»error read_file: no such file
//
// Only a line that begins with » says who speaks. If a line of a text begins with »,
// after any spaces and tabs, it gets one more space before it. So no text can pass for
// another speaker's, and a message costs the model one token more.
//
// The second call of a tool in a message is marked #2, and so on. A result whose call
// is not among the messages names no tool.
func Transcript(msgs []Message) string {
	t := transcript{calls: make(map[string]string)}
	for _, m := range msgs {
		t.message(m)
	}
	return t.String()
}

// speakerMark begins each line that says who speaks.
const speakerMark = "»"

type transcript struct {
	strings.Builder
	calls map[string]string // names of the calls, by id
}

// message writes a message.
func (t *transcript) message(m Message) {
	if m.Content != "" || len(m.Parts) > 0 || m.Role != Assistant {
		text, parts := m.Content, m.Parts
		if len(parts) > 0 && parts[0].Type == TextPart {
			text, parts = parts[0].Text, parts[1:]
		}
		t.line(t.speaker(m), text)
		for _, p := range parts {
			t.part(p)
		}
	}
	if len(m.ToolCalls) == 0 {
		return
	}
	seen := make(map[string]int, len(m.ToolCalls))
	for _, c := range m.ToolCalls {
		name := plainName(c.Name)
		if seen[name]++; seen[name] > 1 {
			name += "#" + strconv.Itoa(seen[name])
		}
		t.calls[c.ID] = name
		t.line("call "+name, string(c.Arguments))
	}
}

// speaker says who wrote a message.
func (t *transcript) speaker(m Message) string {
	if m.Role != Tool {
		return string(m.Role)
	}
	who := "result"
	if m.IsError {
		who = "error"
	}
	if name := t.calls[m.ToolCallID]; name != "" {
		who += " " + name
	}
	return who
}

// part writes a text, or names an image.
func (t *transcript) part(p Part) {
	switch {
	case p.Type == ImageB64Part:
		t.line("image", p.MediaType)
	case p.Type == ImagePart && len(p.URL) >= 5 && strings.EqualFold(p.URL[:5], "data:"):
		t.line("image", "")
	case p.Type == ImagePart:
		t.line("image", p.URL)
	case p.Text != "":
		t.text(p.Text)
		t.WriteByte('\n')
	}
}

// line writes a line that begins with », and the text.
func (t *transcript) line(what, text string) {
	t.WriteString(speakerMark)
	t.WriteString(what)
	t.WriteByte(':')
	if text != "" {
		end := endOfLine(text)
		if lineBreak(text) == 0 {
			t.WriteByte(' ')
		}
		t.WriteString(text[:end])
		t.text(text[end:])
	}
	t.WriteByte('\n')
}

// text writes the lines of a text so that none begins with ».
func (t *transcript) text(text string) {
	for text != "" {
		if strings.HasPrefix(strings.TrimLeft(text, " \t"), speakerMark) {
			t.WriteByte(' ')
		}
		end := endOfLine(text)
		t.WriteString(text[:end])
		text = text[end:]
	}
}

// endOfLine returns where the first line of a text ends, after its line break.
func endOfLine(text string) int {
	for i := range len(text) {
		if n := lineBreak(text[i:]); n > 0 {
			return i + n
		}
	}
	return len(text)
}

// lineBreak returns the bytes of the line break at the start of text, or 0. It knows
// the line breaks of Unicode and of Python.
func lineBreak(text string) int {
	switch text[0] {
	case '\r':
		if strings.HasPrefix(text, "\r\n") {
			return 2
		}
		return 1
	case '\n', '\v', '\f', 0x1C, 0x1D, 0x1E:
		return 1
	case 0xC2:
		if strings.HasPrefix(text, "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(text, "\u2028") || strings.HasPrefix(text, "\u2029") {
			return 3
		}
	}
	return 0
}

// plainName returns the name of a tool, quoted if it could be mistaken for something
// else.
func plainName(name string) string {
	if name != "" && isPlain(strings.NewReplacer(".", "", "/", "", "+", "").Replace(name)) {
		return name
	}
	return strconv.Quote(name)
}
