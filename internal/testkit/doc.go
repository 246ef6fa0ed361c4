// Package testkit is the set-up that the tests of several packages share: a clock that
// only the test moves, the switch for the long proofs, and the number of cases of a
// random test. Only tests import it.
package testkit
