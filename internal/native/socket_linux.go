package native

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// SocketUser returns the user whose process has one end of a TCP connection of this
// machine: the socket at an address that is connected to another. ok is false if that
// cannot be told.
func SocketUser(at, to netip.AddrPort) (uid int, ok bool) {
	file := "/proc/net/tcp"
	if at.Addr().Is6() {
		file = "/proc/net/tcp6"
	}
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	want := [2]string{inKernel(at), inKernel(to)}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// sl local remote state queues timer retransmits uid ...
		if fields := strings.Fields(lines.Text()); len(fields) > 7 && [2]string(fields[1:3]) == want {
			uid, err := strconv.Atoi(fields[7])
			return uid, err == nil
		}
	}
	return 0, false
}

// inKernel writes an address as the kernel does: in hex, each four bytes as a number of a
// machine whose lowest byte comes first.
func inKernel(a netip.AddrPort) string {
	b := a.Addr().AsSlice()
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	return strings.ToUpper(hex.EncodeToString(b)) + fmt.Sprintf(":%04X", a.Port())
}
