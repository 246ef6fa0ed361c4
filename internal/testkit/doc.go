// Package testkit is the set-up that the tests of several packages share: a clock
// that stands still, the switch for the long proofs, and how many cases a random
// test draws. Only tests import it.
package testkit
