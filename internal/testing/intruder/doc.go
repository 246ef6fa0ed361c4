// Package intruder tries to make an MCP server over HTTP show one caller what belongs to
// another. The victim fills its memory with marks. The intruder then sends generated
// requests with the victim's names, versions, cursors, keys, ids and sessions at every
// place, in both eras of the protocol, while the victim goes on working. No answer to the
// intruder may hold a mark that its request did not hold.
//
//	report, err := intruder.Run(ctx, intruder.Options{URL: url, Intruder: sendAsA, Victim: sendAsB, ...})
//
// The package is for tests of whole servers. It knows nothing about how a server tells its
// callers apart: the functions that send requests do.
package intruder
