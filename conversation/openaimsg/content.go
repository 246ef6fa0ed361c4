package openaimsg

import (
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// readParts returns the parts of a content, which is a string or a list of parts of
// either API. A part without a counterpart becomes a text that names it.
func readParts(content json.RawMessage) []conversation.Part {
	if len(content) == 0 {
		return nil
	}
	if content[0] == '"' {
		return textPart(asText(content))
	}
	var parts []conversation.Part
	for _, o := range (object{"": content}).objects("") {
		parts = append(parts, readPart(o)...)
	}
	return parts
}

func readPart(o object) []conversation.Part {
	switch kind := o.text("type"); kind {
	case "text", "input_text", "output_text", "summary_text", "reasoning_text":
		return textPart(o.text("text"))
	case "refusal":
		return textPart(o.text("refusal"))
	case "image_url":
		image := o.object("image_url")
		return imagePart(image.text("url"), "")
	case "input_image", "computer_screenshot":
		return imagePart(o.text("image_url"), o.text("file_id"))
	case "file":
		return textPart(fileText(o.object("file")))
	case "input_file":
		return textPart(fileText(o))
	case "input_audio":
		return textPart("[audio]")
	case "":
		return textPart(o.text("text"))
	default:
		return textPart("[" + kind + "]")
	}
}

func fileText(file object) string {
	for _, name := range []string{"filename", "file_id", "file_url"} {
		if text := file.text(name); text != "" && clip.Data(text) == text {
			return "[file: " + text + "]"
		}
	}
	return "[file]"
}

func textPart(text string) []conversation.Part {
	if text == "" {
		return nil
	}
	return []conversation.Part{{Type: conversation.TextPart, Text: text}}
}

// imagePart returns the image with a URL, or a text with the name of its file.
func imagePart(url, file string) []conversation.Part {
	switch media, data, ok := cutDataURL(url); {
	case ok:
		return []conversation.Part{{Type: conversation.ImageB64Part, Data: data, MediaType: media}}
	case url != "":
		return []conversation.Part{{Type: conversation.ImagePart, URL: url}}
	case file != "":
		return textPart("[image: " + file + "]")
	default:
		return textPart("[image]")
	}
}

// cutDataURL splits a URL such as data:image/png;base64,...
func cutDataURL(url string) (media, data string, ok bool) {
	head, data, _ := strings.Cut(url, ",")
	scheme, rest, _ := strings.Cut(head, ":")
	media, settings, _ := strings.Cut(rest, ";")
	ok = strings.EqualFold(scheme, "data") && strings.HasSuffix(";"+strings.ToLower(settings), ";base64")
	return strings.ToLower(media), data, ok && media != "" && data != ""
}

// imageURL returns the URL of an image.
func imageURL(p conversation.Part) string {
	if p.Type == conversation.ImageB64Part {
		return "data:" + p.MediaType + ";base64," + p.Data
	}
	return p.URL
}

// setParts sets the parts of a message. A single text becomes its Content.
func setParts(m *conversation.Message, parts []conversation.Part) {
	if len(parts) == 1 && parts[0].Type == conversation.TextPart {
		m.Content = parts[0].Text
		return
	}
	m.Parts = parts
}

// images returns the parts that are images.
func images(m conversation.Message) []conversation.Part {
	var found []conversation.Part
	for _, p := range m.Parts {
		if p.Type != conversation.TextPart {
			found = append(found, p)
		}
	}
	return found
}

// pieces returns the parts of a message. Content is one part.
func pieces(m conversation.Message) []conversation.Part {
	if m.Parts == nil {
		return textPart(m.Content)
	}
	return m.Parts
}
