package native

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A process that has a file open is found, and is stale once the file is replaced.
func TestOpeners(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	testkit.Must(t, os.WriteFile(file, nil, 0o600))
	cmd := exec.Command("sh", "-c", "exec sleep 60 3<\"$1\"", "sh", file)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	find := func() []Process {
		for {
			found, _, err := Openers(file, file+"-beside")
			testkit.Must(t, err)
			if len(found) != 1 || strings.HasPrefix(found[0].Command, "sleep") { // sh opens the file before it becomes sleep
				return found
			}
		}
	}
	var found []Process
	for len(found) == 0 {
		found = find()
	}
	if len(found) != 1 || found[0].ID != cmd.Process.Pid || found[0].Stale {
		t.Errorf("Openers = %+v, want process %d alone, not stale", found, cmd.Process.Pid)
	}
	testkit.Must(t, os.Remove(file))
	testkit.Must(t, os.WriteFile(file, nil, 0o600))
	if found := find(); len(found) != 1 || found[0].ID != cmd.Process.Pid || !found[0].Stale {
		t.Errorf("Openers after the file was replaced = %+v, want process %d, stale", found, cmd.Process.Pid)
	}
}

func TestDisk(t *testing.T) {
	dir := t.TempDir()
	if free, err := FreeBytes(dir); err != nil || free <= 0 {
		t.Errorf("FreeBytes = %d, %v, want some", free, err)
	}
	if _, err := FreeBytes(filepath.Join(dir, "none")); err == nil {
		t.Error("FreeBytes of a folder that does not exist has no error")
	}
	if !MayWrite(dir) || MayWrite(filepath.Join(dir, "none")) {
		t.Error("MayWrite must be true of the folder, and false of a file that does not exist")
	}
}

// The user of a connection is found over IPv4 and IPv6, and that of none is not.
func TestSocketUser(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "127.1.2.3:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil && address[0] == '[' {
			t.Logf("NOT CHECKED with %s: %v", address, err)
			continue
		}
		testkit.Must(t, err)
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		testkit.Must(t, err)
		defer c.Close()
		at, to := netip.MustParseAddrPort(c.LocalAddr().String()), netip.MustParseAddrPort(c.RemoteAddr().String())
		if uid, ok := SocketUser(at, to); !ok || uid != os.Getuid() {
			t.Errorf("%v to %v: %d, %v, want %d", at, to, uid, ok, os.Getuid())
		}
		if uid, ok := SocketUser(at, netip.AddrPortFrom(to.Addr(), 1)); ok {
			t.Errorf("of no connection: %d", uid)
		}
	}
}
