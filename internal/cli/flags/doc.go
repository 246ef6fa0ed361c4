// Package flags has the types of the command's flags: numbers, limits, summaries and
// choices. Kong parses the flags into them.
package flags
