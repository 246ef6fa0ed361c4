// Package storetest is the specification of a [workspace.Store], as a test suite
// that every backend passes:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) workspace.Store {
//			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
//			if err != nil {
//				t.Fatal(err)
//			}
//			t.Cleanup(func() { s.Close() })
//			return s
//		})
//	}
//
// A store that survives a restart passes [RunDurable] as well. There are no
// flags for what a backend cannot do. SCRATCHPAD_TEST=all in the environment runs
// the concurrent checks for 10,000 rounds instead of 1,000, -short for 50.
//
// It tests records and transactions, not rules: limits, quotas, hashes and the
// numbering of versions are the workspace's. Nor can it see a power cut, a
// second process or a full disk; a backend that meets them tests that itself.
package storetest
