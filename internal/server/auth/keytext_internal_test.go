package auth

import (
	"hash/crc32"
	"net/netip"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// GuessesOf returns keys with the id of a key and other secrets, for other tests.
func GuessesOf(text string, n int) (guesses []string) {
	for range n {
		guess, _ := newSecret(text[len(KeyPrefix):][:idLength])
		guesses = append(guesses, guess)
	}
	return guesses
}

// A key survives its text, and no text with one other character is a key.
func FuzzParseKey(f *testing.F) {
	text, _ := newSecret(newID("team"))
	f.Add(text, uint8(20), byte('x'))
	f.Add("sp_", uint8(0), byte(0))
	f.Add(strings.Repeat("sp_0", 15)+"0", uint8(3), byte('_'))
	f.Fuzz(func(t *testing.T, text string, at uint8, c byte) {
		found, ok := parseKey(text)
		id := found.id
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
		if again, ok := parseKey(text); !ok || again.id != id || again.hash == [32]byte{} {
			t.Fatalf("parseKey(%q) = %q, %v; expected the id %q", text, again.id, ok, id)
		}
		changed := []byte(text)
		changed[int(at)%len(changed)] = c
		if _, ok := parseKey(string(changed)); ok && string(changed) != text {
			t.Fatalf("parseKey(%q) accepts it beside %q", changed, text)
		}
	})
}

// Nothing that strangers send makes a process grow without end.
func TestTablesAreBounded(t *testing.T) {
	testkit.SkipInShort(t)
	keys := NewKeys(memstore.New(), Options{})
	t.Cleanup(func() { testkit.Must(t, keys.Close(t.Context())) })
	for range maxKnown + 100 {
		text, _ := newSecret(newID("team"))
		if _, err := keys.Verify(t.Context(), text); err != ErrUnknown {
			t.Fatalf("Verify of a key that nobody made = %v", err)
		}
		testkit.Must(t, testkit.Err(keys.tenants.Limits(t.Context(), text[:40])))
	}
	known, tenants := keys.known.table.Len(), keys.tenants.known.table.Len()
	if known != 0 || len(keys.used.marks) != 0 || tenants != maxKnown {
		t.Errorf("%d known, %d used, %d tenants", known, len(keys.used.marks), tenants)
	}
	f := NewFailures(nil)
	for i := range maxAddresses + 100 {
		f.Failed(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if n := f.table.Len(); n != maxAddresses {
		t.Errorf("%d addresses, expected %d", n, maxAddresses)
	}
}
