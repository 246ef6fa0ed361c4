// Package flags has the types of the command's flags: numbers, limits, summaries and
// choices. It gives each flag an environment variable. Kong parses the flags.
package flags
