package dbfile

import (
	"fmt"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// networkMagic are the file systems on which one machine does not see the locks of
// another: statfs(2), linux/magic.h.
var networkMagic = map[int64]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x564c:     "NCP",
	0x5346414f: "AFS",
	0x6b414653: "AFS",
	0x73757245: "Coda",
	0x00c36400: "Ceph",
	0x0bd00bd0: "Lustre",
	0x7461636f: "OCFS2",
	0x01021997: "9P",
	0x47504653: "GPFS",
	0x19830326: "BeeGFS",
	0x786f4256: "VirtualBox shared folder",
}

const fuseMagic = 0x65735546

// networkFuse are how the names of file systems in user space begin whose files are on
// another machine.
var networkFuse = []string{"sshfs", "s3fs", "rclone", "gcsfuse", "glusterfs", "goofys", "juicefs", "cephfs", "smbnetfs",
	"davfs", "curlftpfs", "blobfuse", "nfs"}

// networkDisk returns the name of the network file system that the folder is on, and ""
// for a local one.
func networkDisk(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	if s.Type == fuseMagic {
		return networkFuseName(mountType(dir))
	}
	return networkMagic[int64(uint32(s.Type))]
}

func networkFuseName(fsType string) string {
	name := strings.ToLower(strings.TrimPrefix(fsType, "fuse."))
	for _, n := range networkFuse {
		if strings.HasPrefix(name, n) {
			return fsType
		}
	}
	return ""
}

// mountType returns the type of the mount that holds the folder, from
// /proc/self/mountinfo (proc(5)).
func mountType(dir string) string {
	var s unix.Stat_t
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || unix.Stat(dir, &s) != nil {
		return ""
	}
	device := fmt.Sprintf("%d:%d", unix.Major(uint64(s.Dev)), unix.Minor(uint64(s.Dev)))
	for line := range strings.Lines(string(mounts)) {
		mount, rest, _ := strings.Cut(line, " - ")
		if cols := strings.Fields(mount); len(cols) > 2 && cols[2] == device {
			fsType, _, _ := strings.Cut(rest, " ")
			return fsType
		}
	}
	return ""
}

// readOnlyDisk reports whether the folder's disk takes no writes.
func readOnlyDisk(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Flags&unix.ST_RDONLY != 0
}

// FreeBytes returns the bytes that are free for this user on the folder's disk. If it cannot
// find out, that is the largest number.
func FreeBytes(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return math.MaxInt64
	}
	return int64(s.Bavail) * int64(s.Bsize)
}

// TempFolder returns the folder of SQLite's temporary files:
// https://www.sqlite.org/tempfiles.html, part 5.
func TempFolder() string {
	for _, dir := range []string{os.Getenv("SQLITE_TMPDIR"), os.Getenv("TMPDIR"), "/var/tmp", "/usr/tmp", "/tmp"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && unix.Access(dir, unix.W_OK|unix.X_OK) == nil {
			return dir
		}
	}
	return "."
}

// allocate makes the file size bytes long, with blocks on the disk for all of them.
func allocate(f *os.File, size int64) error {
	if unix.Fallocate(int(f.Fd()), 0, 0, size) == nil {
		return nil
	}
	return writeZeros(f, size)
}
