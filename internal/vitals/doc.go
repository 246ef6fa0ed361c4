// Package vitals knows how a server does, for a page of the console: its figures of the last
// hour, what doctor says of the store that it has open, and the versions of its parts.
//
// Nothing here names an agent, what it has stored, or a path.
package vitals
