//go:build unix

package native

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReaderGone reports whether a stream is a pipe that nobody reads any more.
func ReaderGone(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} // Poll reports errors without being asked
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
