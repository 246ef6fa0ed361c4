// Package storetest is the specification of a [store.Store], as a test suite
// that every backend passes:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) store.Store {
//			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
//			if err != nil {
//				t.Fatal(err)
//			}
//			t.Cleanup(func() { s.Close() })
//			return s
//		})
//	}
//
// A store that survives a restart passes [RunDurable] as well, and one that several
// processes may have open passes [RunShared]. No part of the suite can be
// switched off. The concurrent checks run up to 300 rounds, and fewer with -short. With
// SCRATCHPAD_TEST=all in the environment they run up to 1,000, and with
// SCRATCHPAD_TEST=full up to 10,000.
//
// The suite tests records and transactions. It does not test rules, such as limits,
// quotas, hashes and the numbering of versions, because they are the workspace's. Nor can
// it test a power cut, a process that is killed or a full disk: a backend tests those itself.
package storetest
