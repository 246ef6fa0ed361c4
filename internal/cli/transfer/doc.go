// Package transfer writes the memory of an agent to a folder, and reads it back.
//
// An export is a folder with
//
//	manifest.json         what there is, with versions, times, authors and hashes
//	files/PATH            the current content of each file
//	logs/PATH.jsonl       each log, a line of JSON for an entry
//	versions/PATH/%vN     the older versions of each file, if they were asked for
//
// A name that a file system cannot hold is escaped. Escaping can be undone without the
// manifest, see [Unescape]:
//
//   - %XX is the byte with that hexadecimal number. It stands for a capital letter if the
//     folder has the same name in other letters too (A and a); for the first letter of a
//     name that Windows reserves (CON, nul.txt); for a dot or a space at the end of a name;
//     and for every character that not all systems allow in names.
//   - % at the end of a name marks a file whose path is also a folder of other files.
//   - %+ at the end of a folder's name says that the name goes on in the next one. Names
//     of more than 200 bytes are cut so.
//
// The memory of other programs is imported too, see [ImportFrom].
//
// An import reads nothing outside of the folder, and follows no link in it. All memory
// that it takes is bounded, whatever the folder holds.
package transfer
