// Package setup installs the program, adds its server to the MCP clients of a user, and
// takes all of that back.
//
// [Make] looks at what is there and returns a [Plan]. [Plan.Apply] makes the changes and
// records each one in a journal before it makes it. [Check] starts the server of a
// client and lists its tools. [Undo] reads the journal and puts every file back as it
// was. If somebody has edited a file since, only the entry of this program goes.
package setup
