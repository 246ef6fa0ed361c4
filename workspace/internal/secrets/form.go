package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"math"
	"strings"
)

// A form describes the secrets of one kind: a prefix, and then the parts. Most forms are facts
// that the issuers publish; gitleaks has the same ones.
type form struct {
	kind     string
	prefixes string // with spaces between them
	parts    []part // of what follows the prefix
	check    func(secret []byte) bool
	weak     bool
	inside   bool // may begin inside a word
	value    bool // the secret is the last part alone
}

// A part is at least min and at most max characters of a set. A max of 0 is no limit.
type part struct {
	set      string
	min, max int
}

const (
	digits  = "0123456789"
	hex     = digits + "abcdef"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alpha   = upper + "abcdefghijklmnopqrstuvwxyz"
	base62  = digits + alpha
	word    = base62 + "_-"
	base64s = base62 + "+/"
)

const privateKey = "private key"

var forms = []form{
	{kind: "AWS key id", prefixes: "AKIA ASIA ABIA ACCA", parts: []part{{upper + "234567", 16, 16}}},
	{kind: "AWS key id", prefixes: "A3T", parts: []part{{upper + digits, 1, 1}, {upper + "234567", 16, 16}}},
	{kind: "AWS secret key", prefixes: "aws_secret_access_key AWS_SECRET_ACCESS_KEY", inside: true, value: true,
		parts: []part{{"\"' \t=:", 1, 20}, {base64s, 40, 40}}, check: random(0, 3.5)},
	{kind: "GitHub token", prefixes: "ghp_ gho_ ghu_ ghr_ ghs_", parts: []part{{base62, 36, 36}},
		check: func(s []byte) bool { return random(4, 3)(s) && hasCRC(s[4:]) }},
	{kind: "GitHub token", prefixes: "ghs_", parts: []part{{word, 20, 0}, {".", 1, 1}, {word, 20, 0}, {".", 1, 1},
		{word, 20, 0}}},
	{kind: "GitHub token", prefixes: "github_pat_", parts: []part{{base62, 22, 22}, {"_", 1, 1}, {base62, 59, 59}}},
	{kind: "Slack token", prefixes: "xoxb-", parts: []part{{digits, 10, 13}, {"-", 1, 1}, {digits, 10, 13},
		{word, 0, 99}}},
	{kind: "Slack token", prefixes: "xoxp- xoxe-", parts: []part{{digits, 10, 13}, {"-", 1, 1}, {digits, 10, 13},
		{"-", 1, 1}, {digits, 10, 13}, {"-", 1, 1}, {base62 + "-", 28, 34}}},
	{kind: "Slack token", prefixes: "xapp-", parts: []part{{digits, 1, 1}, {"-", 1, 1}, {upper + digits, 1, 99},
		{"-", 1, 1}, {digits, 1, 99}, {"-", 1, 1}, {base62, 1, 99}}},
	{kind: "Slack webhook", prefixes: "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
		parts: []part{{base64s, 43, 56}}},
	{kind: "OpenAI key", prefixes: "sk-", parts: []part{{word, 48, 199}}, check: isOpenAI},
	{kind: "Anthropic key", prefixes: "sk-ant-api03- sk-ant-admin01-", parts: []part{{word, 95, 95}},
		check: func(s []byte) bool { return bytes.HasSuffix(s, []byte("AA")) && random(14, 3)(s) }},
	{kind: "Anthropic token", prefixes: "sk-ant-oat01- sk-ant-ort01-", parts: []part{{word, 80, 120}}},
	{kind: "Google API key", prefixes: "AIza", parts: []part{{word, 35, 35}}, check: random(4, 4)},
	{kind: "Google client secret", prefixes: "GOCSPX-", parts: []part{{word, 28, 28}}},
	{kind: "Stripe key", prefixes: "sk_live_ rk_live_ sk_prod_ rk_prod_", parts: []part{{base62, 10, 99}}},
	{kind: "Stripe test key", prefixes: "sk_test_ rk_test_", parts: []part{{base62, 10, 99}}, weak: true},
	{kind: "GitLab token", prefixes: "glpat-", parts: []part{{word, 27, 300}, {".", 1, 1}, {hex + alpha, 9, 9}}},
	{kind: "GitLab token", prefixes: "glpat-", parts: []part{{word, 20, 20}}},
	{kind: "npm token", prefixes: "npm_", parts: []part{{base62, 36, 36}}},
	{kind: "PyPI token", prefixes: "pypi-AgEIcHlwaS5vcmc", parts: []part{{word, 50, 0}}},
	{kind: privateKey, prefixes: "-----BEGIN", parts: []part{{upper + digits + " ", 11, 50}, {"-", 5, 5}}, inside: true,
		check: func(s []byte) bool { return bytes.Contains(s, []byte("PRIVATE KEY")) }},
	{kind: "JWT", prefixes: "eyJ", parts: []part{{word, 12, 0}, {".", 1, 1}, {word, 15, 0}, {".", 1, 1}, {word, 16, 0}},
		check: isJWT, weak: true},
	{kind: "Hugging Face token", prefixes: "hf_", parts: []part{{alpha, 34, 34}}},
	{kind: "SendGrid key", prefixes: "SG.", parts: []part{{word, 22, 22}, {".", 1, 1}, {word, 43, 43}}},
	{kind: "DigitalOcean token", prefixes: "dop_v1_ doo_v1_", parts: []part{{hex, 64, 64}}},
	{kind: "Shopify token", prefixes: "shpat_", parts: []part{{hex + "ABCDEF", 32, 32}}},
	{kind: "Databricks token", prefixes: "dapi", parts: []part{{hex, 32, 32}}},
	{kind: "Grafana token", prefixes: "glsa_", parts: []part{{base62, 32, 32}, {"_", 1, 1}, {hex + "ABCDEF", 8, 8}}},
	{kind: "Vault token", prefixes: "hvs.", parts: []part{{word, 90, 120}}},
	{kind: "age key", prefixes: "AGE-SECRET-KEY-1", parts: []part{{upper + digits, 58, 58}}},
	{kind: "Postman key", prefixes: "PMAK-", parts: []part{{hex, 24, 24}, {"-", 1, 1}, {hex, 34, 34}}},
	{kind: "Notion token", prefixes: "ntn_", parts: []part{{digits, 11, 11}, {base62, 35, 35}}},
	{kind: "Scratchpad key", prefixes: "sp_", parts: []part{{base62, 8, 8}, {"_", 1, 1}, {base62, 49, 49}},
		check: hasCRC},
}

// match looks for a secret at a place where one of the prefixes stands.
func (f *form) match(text []byte, at, prefix int) (s Secret, ok bool) {
	s = Secret{Kind: f.kind, Start: at, End: at + prefix, Weak: f.weak}
	for _, p := range f.parts {
		if f.value {
			s.Start = s.End
		}
		n := 0
		for s.End < len(text) && (p.max == 0 || n < p.max) && strings.IndexByte(p.set, text[s.End]) >= 0 {
			n++
			s.End++
		}
		if n < p.min {
			return s, false
		}
	}
	s.id = text[s.Start:s.End]
	if f.check != nil && !f.check(s.id) || f.check == nil && !random(prefix, 3)(s.id) {
		return s, false
	}
	if f.kind == privateKey {
		if s.id = firstLine(text[s.End:]); s.id != nil {
			s.End = endOfKey(text, s.End)
		}
		return s, s.id != nil
	}
	return s, s.End == len(text) || !isWord(text[s.End]) && (!f.value || strings.IndexByte("+/=", text[s.End]) < 0)
}

// random returns a check that a secret looks random after its first bytes: the entropy of a
// character is at least bits, none is repeated often, and the secret is no example.
func random(prefix int, bits float64) func(secret []byte) bool {
	return func(secret []byte) bool {
		text, same := string(secret[prefix:]), 1
		for _, word := range []string{"EXAMPLE", "example", "xxxx", "XXXX", "REDACTED", "redacted", "your-", "your_"} {
			if strings.Contains(text, word) {
				return false
			}
		}
		for i := 1; i < len(text); i++ {
			if text[i] != text[i-1] {
				same = 0
			}
			if same++; same >= 8 {
				return false
			}
		}
		return entropy(text) >= bits
	}
}

// entropy returns the entropy of a character of a text in bits.
func entropy(text string) (bits float64) {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// hasCRC reports whether the last six characters of a secret are the CRC-32 of the others, in
// base62.
func hasCRC(secret []byte) bool {
	end := len(secret) - 6
	n := crc32.ChecksumIEEE(secret[:end])
	for i := len(secret) - 1; i >= end; i-- {
		if secret[i] != base62[n%62] {
			return false
		}
		n /= 62
	}
	return true
}

// isOpenAI reports whether a secret has the mark of OpenAI's keys in it.
func isOpenAI(secret []byte) bool {
	const mark = "T3BlbkFJ"
	at := bytes.Index(secret, []byte(mark))
	return at >= len("sk-")+20 && len(secret)-at-len(mark) >= 20 && random(3, 3)(secret)
}

// isJWT reports whether a secret is a signed JSON Web Token.
func isJWT(secret []byte) bool {
	parts := strings.Split(string(secret), ".")
	text, err := base64.RawURLEncoding.DecodeString(parts[0])
	var h struct{ Alg string }
	return strings.HasPrefix(parts[1], "eyJ") && err == nil && json.Unmarshal(text, &h) == nil && h.Alg != "" &&
		!strings.EqualFold(h.Alg, "none")
}

// firstLine returns the first line of base64 behind the header of a private key, or nil if there
// is none.
func firstLine(text []byte) []byte {
	const headers, line = 500, 60
	length := 0
	for i, c := range text[:min(len(text), headers)] {
		switch {
		case c == '-' && bytes.HasPrefix(text[i:], []byte("-----")):
			return nil
		case strings.IndexByte(base64s, c) < 0:
			length = 0
			continue
		}
		if length++; length < line {
			continue
		}
		s := string(text[i+1-line : i+1])
		if entropy(s) < 3 || !strings.ContainsAny(s, digits) || strings.ToLower(s) == s || strings.ToUpper(s) == s {
			return nil
		}
		return text[i+1-line : i+1]
	}
	return nil
}

// endOfKey returns where a private key ends: with the line that ends it, else with the text.
func endOfKey(text []byte, at int) int {
	const end, dashes = "-----END", "-----"
	i := bytes.Index(text[at:], []byte(end))
	if i < 0 {
		return len(text)
	}
	at += i + len(end)
	line := text[at:min(len(text), at+80)]
	if i := bytes.Index(line, []byte(dashes)); i >= 0 {
		return at + i + len(dashes)
	}
	return at
}
