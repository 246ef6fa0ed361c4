package auth

import (
	"hash/crc32"
	"math/big"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// The digits are those of package big, whose letters have the other case.
// GuessesOf returns keys with the id of a key and other secrets, for other tests.
func GuessesOf(text string, n int) (guesses []string) {
	for range n {
		guess, _ := newSecret(text[len(KeyPrefix):][:idLength])
		guesses = append(guesses, guess)
	}
	return guesses
}

func TestEncode62(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32().Draw(t, "n")
		want := strings.Map(func(c rune) rune {
			if unicode.IsUpper(c) {
				return unicode.ToLower(c)
			}
			return unicode.ToUpper(c)
		}, new(big.Int).SetUint64(uint64(n)).Text(62))
		want = strings.Repeat("0", checksumLength-len(want)) + want
		if got := encode62(n, checksumLength); got != want {
			t.Fatalf("encode62(%d) = %s, expected %s", n, got, want)
		}
	})
}

// Every character of a secret is as likely as the others.
func TestRandomBase62(t *testing.T) {
	const n = 62 * 4000
	count := map[rune]int{}
	for _, c := range randomBase62(n) {
		count[c]++
	}
	for _, c := range base62 {
		if off := count[c] - 4000; off*off > 4000*49 { // seven standard deviations
			t.Errorf("%c came %d times, expected about 4,000", c, count[c])
		}
	}
	if len(count) != 62 {
		t.Errorf("%d characters, expected 62", len(count))
	}
}

// The keys of a tenant are next to each other.
func TestNewID(t *testing.T) {
	for range 100 {
		if id := newID("team"); len(id) != idLength || !isBase62(id) || id[:bucketLength] != bucket("team") {
			t.Fatalf("the id is %q", id)
		}
	}
	if bucket("team") == bucket("other") {
		t.Error("two tenants have the same bucket")
	}
}

// No character of a key may be another one.
func TestParseKeyFindsTypos(t *testing.T) {
	text, _ := newSecret(newID("team"))
	for i := range text {
		for _, c := range []byte(base62 + "_-= \n\x00\xff") {
			typo := text[:i] + string(c) + text[i+1:]
			if _, _, ok := parseKey(typo); ok != (typo == text) {
				t.Errorf("parseKey(%q) = %v beside %q", typo, ok, text)
			}
		}
	}
}

// A key survives its text, and no text with one other character is a key.
func FuzzParseKey(f *testing.F) {
	text, _ := newSecret(newID("team"))
	f.Add(text, uint8(20), byte('x'))
	f.Add("sp_", uint8(0), byte(0))
	f.Add(strings.Repeat("sp_0", 15)+"0", uint8(3), byte('_'))
	f.Fuzz(func(t *testing.T, text string, at uint8, c byte) {
		id, _, ok := parseKey(text)
		if !ok {
			if id != "" {
				t.Fatalf("parseKey(%q) gives the id %q and refuses it", text, id)
			}
			id = strings.Map(func(c rune) rune { return rune(base62[uint32(c)%62]) }, text+"00000000")[:idLength]
			text, _ = newSecret(id)
		}
		body := text[:keyLength-checksumLength]
		if len(text) != keyLength || checksum(body) != text[len(body):] || checksum(body) != encode62(crc32.ChecksumIEEE([]byte(body)), 6) {
			t.Fatalf("parseKey(%q) accepts it", text)
		}
		if again, hash, ok := parseKey(text); !ok || again != id || hash == [32]byte{} {
			t.Fatalf("parseKey(%q) = %q, %v; expected the id %q", text, again, ok, id)
		}
		changed := []byte(text)
		changed[int(at)%len(changed)] = c
		if _, _, ok := parseKey(string(changed)); ok && string(changed) != text {
			t.Fatalf("parseKey(%q) accepts it beside %q", changed, text)
		}
	})
}
