package anthropicmsg

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/anthropics/anthropic-sdk-go/v2"
)

// imageBlock returns the block for the URL of an image. A data URL becomes base64. A
// URL that the provider would not fetch becomes a text.
func imageBlock(url string) anthropic.ContentBlockParamUnion {
	if scheme, rest, _ := strings.Cut(url, ":"); strings.EqualFold(scheme, "data") {
		head, data, _ := strings.Cut(rest, ",")
		mediaType, settings, _ := strings.Cut(strings.ToLower(head), ";")
		if mediaType == "" || data == "" || !strings.HasSuffix(";"+settings, ";base64") {
			return anthropic.NewTextBlock("[image]")
		}
		return anthropic.NewImageBlockBase64(mediaType, data)
	}
	if !strings.HasPrefix(url, "https://") {
		return anthropic.NewTextBlock("[image: " + url + "]")
	}
	return anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: url})
}

// resultBlocks returns a result, and after it the images that must not be in it.
func resultBlocks(
	m conversation.Message, content []anthropic.ContentBlockParamUnion,
) ([]anthropic.ContentBlockParamUnion, error) {
	if m.ToolCallID == "" {
		return nil, invalid("a tool message has no ToolCallID")
	}
	result := anthropic.ToolResultBlockParam{ToolUseID: callID(m.ToolCallID)}
	if m.IsError {
		result.IsError = anthropic.Bool(true)
	}
	var images []anthropic.ContentBlockParamUnion
	for _, c := range content {
		if m.IsError && c.OfImage != nil {
			images = append(images, c)
			continue
		}
		result.Content = append(result.Content, anthropic.ToolResultBlockParamContentUnion{OfText: c.OfText,
			OfImage: c.OfImage})
	}
	return append([]anthropic.ContentBlockParamUnion{{OfToolResult: &result}}, images...), nil
}

// callID returns an ID that the provider allows. Equal ids give equal IDs.
func callID(id string) string {
	allowed := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
	if allowed == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return allowed + "_" + hex.EncodeToString(sum[:4])
}

// input returns arguments as a JSON object, which the provider demands. Any other text
// becomes a member with the name that the provider's documentation gives to it.
func input(arguments json.RawMessage) json.RawMessage {
	text := bytes.TrimSpace(arguments)
	switch {
	case len(text) == 0:
		return json.RawMessage("{}")
	case text[0] == '{' && json.Valid(text):
		return bytes.Clone(text)
	}
	wrapped, err := json.Marshal(map[string]string{"INVALID_JSON": string(arguments)})
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return wrapped
}
