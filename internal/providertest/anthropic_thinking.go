package providertest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"hash"
)

var key = []byte("providertest")

func mac(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write([]byte{byte(len(part) >> 24), byte(len(part) >> 16), byte(len(part) >> 8), byte(len(part))})
		h.Write(part)
	}
	return h.Sum(nil)
}

// Signature returns the signature of a thinking block with the text. It is the one of a
// model that does not bind its reasoning to the conversation, and is accepted anywhere.
func Signature(thinking string) string {
	return base64.StdEncoding.EncodeToString(mac([]byte("thinking"), []byte(thinking)))
}

// BoundSignature returns the signature of a thinking block in the answer to a request,
// whose body [ValidateAnthropic] accepts. A model that binds its reasoning
// (claude-fable-5-1, claude-opus-5-5 and later) accepts the block only after the same
// system prompt, tools and messages.
func BoundSignature(thinking string, body []byte) (string, error) {
	var req anthropicRequest
	if err := req.decode(body); err != nil {
		return "", err
	}
	return req.bind(thinking), nil
}

// RedactedData returns the data of a redacted_thinking block, made from any text.
func RedactedData(thinking string) string {
	sum := mac([]byte("redacted"), []byte(thinking))
	return base64.StdEncoding.EncodeToString(append(sum, thinking...))
}

func redactedOK(data string) bool {
	raw, err := base64.StdEncoding.DecodeString(data)
	return err == nil && len(raw) >= sha256.Size && data == RedactedData(string(raw[sha256.Size:]))
}

// A binding is what a bound signature says besides the text: what stood before the
// block, and which thinking block was the last one before it.
type binding struct{ prefix, previous []byte }

const bindingSize = 2 * sha256.Size

func (r *anthropicRequest) sign(thinking string) string {
	if r.bindsThinking() {
		return r.bind(thinking)
	}
	return Signature(thinking)
}

func (r *anthropicRequest) bind(thinking string) string {
	p := r.prefix()
	var previous string
	for _, m := range r.Messages {
		for i := range m.blocks {
			if b := &m.blocks[i]; b.isThinking() {
				if p.accepts(b, previous) {
					previous = b.secret()
				}
				continue
			}
			p.add(m.Role, &m.blocks[i])
		}
	}
	return boundSignature(thinking, binding{p.sum(), digest(previous)})
}

func boundSignature(thinking string, b binding) string {
	raw := append(append([]byte{}, b.prefix...), b.previous...)
	return base64.StdEncoding.EncodeToString(append(raw, mac([]byte("bound"), raw, []byte(thinking))...))
}

// secret returns the signature or the data of the block.
func (b *anthropicBlock) secret() string {
	if b.Type == "redacted_thinking" {
		return text(b.Data)
	}
	return text(b.Signature)
}

// readSignature reports whether the signature belongs to the text. It returns its
// binding, if it has one.
func readSignature(thinking, signature string) (*binding, bool) {
	if signature == Signature(thinking) {
		return nil, true
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(raw) <= bindingSize {
		return nil, false
	}
	b := binding{raw[:sha256.Size], raw[sha256.Size:bindingSize]}
	return &b, signature == boundSignature(thinking, b)
}

func digest(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// A prefix is a checksum of a conversation up to some block, without thinking and
// without cache_control.
type prefix struct{ h hash.Hash }

func (r *anthropicRequest) prefix() prefix {
	p := prefix{sha256.New()}
	system, _ := anthropicBlocks(r.System)
	for i := range system {
		p.add("system prompt", &system[i])
	}
	for _, tool := range r.Tools {
		var deferred struct {
			DeferLoading bool `json:"defer_loading"`
		}
		if json.Unmarshal(tool, &deferred) == nil && !deferred.DeferLoading {
			p.h.Write(canonical(tool))
		}
	}
	return p
}

func (p prefix) add(role string, b *anthropicBlock) {
	p.h.Write([]byte(role))
	p.h.Write(canonical(b.raw))
}

func (p prefix) sum() []byte { return p.h.Sum(nil) }

// accepts reports whether the thinking block may stand here. The oldest blocks and the
// newest may be left out, but none between two that are kept.
func (p prefix) accepts(b *anthropicBlock, previous string) bool {
	if b.Type != "thinking" {
		return true
	}
	bound, _ := readSignature(text(b.Thinking), text(b.Signature))
	if bound == nil {
		return true
	}
	return bytes.Equal(bound.prefix, p.sum()) && (previous == "" || bytes.Equal(bound.previous, digest(previous)))
}

// canonical returns the JSON with sorted members and without cache_control.
func canonical(raw json.RawMessage) []byte {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return raw
	}
	out, _ := json.Marshal(withoutCacheControl(v))
	return out
}

func withoutCacheControl(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for k := range v {
			v[k] = withoutCacheControl(v[k])
		}
	case []any:
		for i := range v {
			v[i] = withoutCacheControl(v[i])
		}
	}
	return v
}

// checkSignatures refuses reasoning that was changed. The error does not tell a changed
// text from a changed signature: anthropics/anthropic-sdk-python#1598.
func (r *anthropicRequest) checkSignatures() error {
	for _, m := range r.Messages {
		for i := range m.blocks {
			b := &m.blocks[i]
			if b.Type == "redacted_thinking" && !redactedOK(text(b.Data)) {
				return refuseAnthropic("messages.%d.content.%d: Invalid `data` in `redacted_thinking` block", b.message, b.index)
			}
			if b.Type == "thinking" {
				if _, ok := readSignature(text(b.Thinking), text(b.Signature)); !ok {
					return refuseAnthropic("messages.%d.content.%d: Invalid `signature` in `thinking` block", b.message, b.index)
				}
			}
		}
	}
	return nil
}

// checkBindings refuses reasoning that is bound to another conversation. An older model
// cannot read such a block, and ignores it.
func (r *anthropicRequest) checkBindings() error {
	if !r.bindsThinking() {
		return nil
	}
	p, previous := r.prefix(), ""
	for _, m := range r.Messages {
		for i := range m.blocks {
			switch b := &m.blocks[i]; {
			case !b.isThinking():
				p.add(m.Role, b)
			case p.accepts(b, previous):
				previous = b.secret()
			default:
				return r.refuseMisplaced(b)
			}
		}
	}
	return nil
}

// refuseMisplaced is from platform.claude.com/docs/en/build-with-claude/
// preserved-thinking, "What the API does with an invalid block".
func (r *anthropicRequest) refuseMisplaced(b *anthropicBlock) error {
	message := "messages.%d.content.%d: Invalid `signature` in `thinking` block. The block is bound to a different conversation. " +
		"Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
	if bb := r.Thinking.BlockBinding; bb == nil {
		message += " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
	} else if bb.PrefixMismatchBehavior == "drop_block" {
		return nil
	}
	return refuseAnthropic(message, b.message, b.index)
}
