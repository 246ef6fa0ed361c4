// Package text shows text that somebody else wrote, as text. What a reader cannot see
// becomes a mark with its code point: control characters, characters that turn the
// direction of writing, characters without a width, bytes that are no UTF-8.
//
//	text.HTML("pay \u202eemos") // pay <span class="u" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>emos
//
// All functions are safe for concurrent use. No input makes them emit an element, an
// attribute or an entity of its own.
package text
