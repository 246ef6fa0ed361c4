// Package pages removes from the pages of an SQLite file what is left over from content that
// was removed. A [Pass] visits all pages. It reads each as far as it must to tell the bytes
// that are in use from the others. The format is that of https://www.sqlite.org/fileformat2.html.
//
// Whatever reads a page checks what it reads. It returns [workspace.ErrCorrupt] for
// a page that is not as the format says, and has not changed it then.
package pages
