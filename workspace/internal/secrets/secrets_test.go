package secrets_test

import (
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
)

const (
	digits = "0123456789"
	hex    = digits + "abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base62 = digits + upper + "abcdefghijklmnopqrstuvwxyz"
)

// random returns n characters of a set.
func random(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

// withCRC appends the CRC-32 of a text in base62.
func withCRC(prefix, text string) string {
	n, sum := crc32.ChecksumIEEE([]byte(text)), make([]byte, 6)
	for i := range sum {
		sum[5-i] = base62[n%62]
		n /= 62
	}
	return prefix + text + string(sum)
}

func key(r *rand.Rand, label string) string {
	return "-----BEGIN " + label + "-----\nMIIE" + random(r, base62, 60) + "\n" + random(r, base62, 30) + "==\n-----END " + label + "-----"
}

// samples makes secrets of each form. They are random: no secret stands in this file.
func samples(r *rand.Rand) map[string][]string {
	s := func(set string, n int) string { return random(r, set, n) }
	const word = base62 + "_-"
	header := "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
	return map[string][]string{
		"AWS key id":           {"AKIA" + s(upper+"234567", 16), "ASIA" + s(upper+"234567", 16), "A3T" + s(upper+"234567", 17)},
		"GitHub token":         {withCRC("ghp_", s(base62, 30)), withCRC("ghs_", s(base62, 30)), "github_pat_" + s(base62, 22) + "_" + s(base62, 59), "ghs_" + s(digits, 7) + "_" + header + "." + s(word, 200) + "." + s(base62, 200)},
		"Slack token":          {"xoxb-" + s(digits, 12) + "-" + s(digits, 12) + "-" + s(base62, 24), "xoxp-" + s(digits, 12) + "-" + s(digits, 12) + "-" + s(digits, 12) + "-" + s(hex, 32), "xapp-1-A" + s(upper, 9) + "-" + s(digits, 12) + "-" + s(hex, 64)},
		"Slack webhook":        {"hooks.slack.com/services/T" + s(upper, 8) + "/B" + s(upper, 8) + "/" + s(base62, 24)},
		"OpenAI key":           {"sk-proj-" + s(word, 74) + "T3BlbkFJ" + s(word, 73) + "a", "sk-svcacct-" + s(word, 58) + "T3BlbkFJ" + s(base62, 58), "sk-" + s(base62, 20) + "T3BlbkFJ" + s(base62, 20)},
		"Anthropic key":        {"sk-ant-api03-" + s(word, 93) + "AA"},
		"Anthropic token":      {"sk-ant-oat01-" + s(word, 93) + "AA"},
		"Google API key":       {"AIza" + s(base62, 35)},
		"Google client secret": {"GOCSPX-" + s(base62, 28)},
		"Stripe key":           {"sk_live_" + s(base62, 24), "rk_live_" + s(base62, 99)},
		"Stripe test key":      {"sk_test_" + s(base62, 24)},
		"GitLab token":         {"glpat-" + s(base62, 20), "glpat-" + s(base62, 30) + "." + s(hex, 9)},
		"npm token":            {withCRC("npm_", s(base62, 30))},
		"PyPI token":           {"pypi-AgEIcHlwaS5vcmc" + s(base62, 160)},
		"JWT":                  {header + ".eyJ" + s(base62, 40) + "." + s(word, 42) + "a"},
		"Hugging Face token":   {"hf_" + s(base62[10:], 34)},
		"SendGrid key":         {"SG." + s(word, 22) + "." + s(base62, 43)},
		"DigitalOcean token":   {"dop_v1_" + s(hex, 64)},
		"Shopify token":        {"shpat_" + s(hex, 32)},
		"Databricks token":     {"dapi" + s(hex, 32)},
		"Grafana token":        {"glsa_" + s(base62, 32) + "_" + s(hex, 8)},
		"Vault token":          {"hvs." + s(base62, 100)},
		"age key":              {"AGE-SECRET-KEY-1" + s(upper+digits, 58)},
		"Postman key":          {"PMAK-" + s(hex, 24) + "-" + s(hex, 34)},
		"Notion token":         {"ntn_" + s(digits, 11) + s(base62, 35)},
		"Scratchpad key":       {withCRC("", "sp_"+s(base62, 8)+"_"+s(base62, 43))},
		"private key":          {key(r, "PRIVATE KEY"), key(r, "RSA PRIVATE KEY"), key(r, "OPENSSH PRIVATE KEY"), strings.ReplaceAll(key(r, "PRIVATE KEY"), "\n", `\n`)},
	}
}

// Each form is found where people write secrets, and nowhere inside of a word.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for kind, list := range samples(r) {
			for _, secret := range list {
				for _, around := range [][2]string{{"", ""}, {"key: ", "\n"}, {`{"a":"`, `"}`}, {"`", "`"}, {"a\n-", "\n"}, {`"x\n`, `\n"`}, {"https://me:", "@host/x"}, {"TOKEN=", " x"}, {"(", ")."}, {"über ", "é"}} {
					text := around[0] + secret + around[1]
					found := secrets.Find([]byte(text))
					if len(found) != 1 || found[0].Kind != kind || found[0].Start != len(around[0]) || text[found[0].Start:found[0].End] != secret {
						t.Fatalf("%s in %q: found %+v", kind, text, found)
					}
					if got, want := string(secrets.Redact([]byte(text), found)), around[0]+"[redacted: "+kind+"]"+around[1]; got != want {
						t.Errorf("Redact(%q) = %q, want %q", text, got, want)
					}
				}
				if kind == "private key" {
					continue
				}
				for _, text := range []string{"a" + secret, "_" + secret, secret[:len(secret)/2] + "\n" + secret[len(secret)/2:], strings.ToUpper(secret[:3]) + "?" + secret[3:]} {
					if found := secrets.Find([]byte(text)); len(found) > 0 && text[found[0].Start:found[0].End] == secret && kind != "Slack webhook" {
						t.Errorf("%s: found %+v in %q", kind, found, text)
					}
				}
			}
		}
	}
	text := "aws_secret_access_key = " + random(r, base62+"+/", 40) + "\nAWS_SECRET_ACCESS_KEY: \"" + random(r, base62+"+/", 40) + "\"\n"
	if found := secrets.Find([]byte(text)); len(found) != 2 || found[0].Kind != "AWS secret key" || found[0].Start != 24 || found[0].End != 64 {
		t.Errorf("AWS secret keys: %+v in %q", found, text)
	}
}

// What looks like a secret and is none is not found.
func TestFindNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	token := withCRC("ghp_", random(r, base62, 30))
	last := "0"
	if strings.HasSuffix(token, last) {
		last = "1"
	}
	for _, text := range []string{
		"AKIAIOSFODNN7" + "EXAMPLE", "AKIA" + strings.Repeat("A", 16), token[:39] + last, token + "a", token[:39],
		"ghp_" + strings.Repeat("x", 36), "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
		"npm_" + random(r, base62, 35), "dapi" + random(r, hex, 31), "glpat-your-token-goes-here", "sk_live_" + strings.Repeat("a1", 12), "sk-learn and sk-ant-api03-...",
		"eyJhbGciOiJub25lIn0.eyJ" + random(r, base62, 40) + "." + random(r, base62, 40),
		"-----BEGIN PUBLIC KEY-----\nMIIE" + random(r, base62, 60), "-----BEGIN CERTIFICATE-----\nMIIE" + random(r, base62, 60),
		"A file that begins with -----BEGIN PRIVATE KEY----- is a key, and a file of /usr/share/doc/openssl/examples/with/a/very/long/path/in/it/that/is/long is none.\n",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\nMIIE" + random(r, base62, 60),
		"npm_config_registry_is_the_name_of_a_variable_here", "", "s", "sk", "-----BEGIN",
	} {
		if found := secrets.Find([]byte(text)); found != nil {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}

func TestPrivateKeyWithoutEnd(t *testing.T) {
	text := "a\n" + strings.Split(key(rand.New(rand.NewPCG(5, 6)), "EC PRIVATE KEY"), "-----END")[0] + "and more\n"
	if got := string(secrets.Redact([]byte(text), secrets.Find([]byte(text)))); got != "a\n[redacted: private key]" {
		t.Errorf("got %q", got)
	}
}

// A secret that was there before is not new, wherever it stands.
func TestNew(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, b, k := withCRC("ghp_", random(r, base62, 30)), withCRC("gho_", random(r, base62, 30)), key(r, "PRIVATE KEY")
	text := []byte("x\n" + b + "\ny\n" + a + "\n" + k + "\n" + a)
	found := secrets.New(secrets.Find(text), []byte(a+"\n\n\n  "+k+"\nz"))
	if len(found) != 1 || string(text[found[0].Start:found[0].End]) != b {
		t.Errorf("New = %+v", found)
	}
}

func FuzzFind(f *testing.F) {
	for _, list := range samples(rand.New(rand.NewPCG(9, 9))) {
		f.Add([]byte("a " + list[0] + " b"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		at := 0
		found := secrets.Find(text)
		for _, s := range found {
			if s.Start < at || s.End <= s.Start || s.End > len(text) || s.Kind == "" {
				t.Fatalf("%+v", found)
			}
			at = s.End
		}
		if len(secrets.New(found, text)) > 0 {
			t.Fatalf("a text has secrets that it had not")
		}
		if again := secrets.Find(secrets.Redact(text, found)); len(again) > len(found) {
			t.Fatalf("redacting %d secrets makes %d", len(found), len(again))
		}
	})
}
