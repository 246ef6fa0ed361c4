package dbfile

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestNetworkFuseName(t *testing.T) {
	for name, network := range map[string]bool{
		"fuse.sshfs": true, "fuse.SSHFS": true, "fuse.glusterfs": true, "fuse.gcsfuse": true, "fuse.rclone": true, "fuse.davfs2": true, "sshfs": true,
		"fuse": false, "fuseblk": false, "fuse.encfs": false, "fuse.gocryptfs": false, "fuse.mergerfs": false, "fuse.ntfs-3g": false, "": false,
	} {
		if got := networkFuseName(name); (got != "") != network || network && got != name {
			t.Errorf("networkFuseName(%q) = %q; a network file system: %v", name, got, network)
		}
	}
}

// A database on a network file system is refused. Here the file system of the test is one.
func TestResolveOnNetwork(t *testing.T) {
	var s unix.Statfs_t
	dir := t.TempDir()
	testkit.Must(t, unix.Statfs(dir, &s))
	networkMagic[int64(uint32(s.Type))] = "NFS"
	defer delete(networkMagic, int64(uint32(s.Type)))
	path, err := Resolve(filepath.Join(dir, "a.db"))
	if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), dir+" is on a network file system (NFS)") || !strings.Contains(err.Error(), "PostgreSQL") {
		t.Errorf("Resolve = %q, %v; want ErrInvalid, the folder, and PostgreSQL", path, err)
	}
}

func TestMountType(t *testing.T) {
	if got := mountType("/proc/self"); got != "proc" {
		t.Errorf("mountType(/proc/self) = %q, want proc", got)
	}
	if got := mountType("/"); got == "" {
		t.Error("mountType(/) is empty")
	}
}
