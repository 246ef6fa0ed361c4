package auth

import (
	"net/netip"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

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
		if _, err := keys.tenants.Limits(t.Context(), text[:40]); err != nil {
			t.Fatal(err)
		}
	}
	if keys.refused.Len() != maxKnown || keys.known.Len() != 0 || len(keys.used.marks) != 0 || keys.tenants.known.Len() != maxKnown {
		t.Errorf("%d refused, %d known, %d used, %d tenants", keys.refused.Len(), keys.known.Len(), len(keys.used.marks), keys.tenants.known.Len())
	}
	f := NewFailures(nil)
	for i := range maxAddresses + 100 {
		f.Failed(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if n := f.addresses.table.Len(); n != maxAddresses {
		t.Errorf("%d addresses, expected %d", n, maxAddresses)
	}
}
