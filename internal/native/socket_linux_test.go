package native

import (
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
