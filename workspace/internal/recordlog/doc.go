// Package recordlog keeps the records of a conversation in a log.
//
// A record is an entry of JSON without its Seq, which is the number of the entry. A
// record that is too long for one entry is split over several. Each part has a head:
// "1/3 " and the first part of the JSON, to "3/3 " and the last. The Seq is then the
// number of the last entry. A whole record has no head, because it begins with a brace.
//
// An entry that does not look like a record is somebody else's note.
package recordlog
