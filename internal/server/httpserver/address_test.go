package httpserver

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The address of a client is the rightmost that no trusted proxy has.
func TestClientAddress(t *testing.T) {
	s := &Server{o: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"1.2.3.4:5", "", "1.2.3.4"},
		{"1.2.3.4:5", "9.9.9.9", "1.2.3.4"}, // not a proxy of ours
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9", "9.9.9.9"},
		{"10.0.0.1:5", "8.8.8.8, 9.9.9.9", "9.9.9.9"},
		{"10.0.0.1:5", "9.9.9.9,10.1.1.1 , 10.2.2.2", "9.9.9.9"},
		{"10.0.0.1:5", "9.9.9.9|10.1.1.1|10.2.2.2", "9.9.9.9"}, // three headers
		{"10.0.0.1:5", "8.8.8.8|9.9.9.9, 10.1.1.1|10.2.2.2", "9.9.9.9"},
		{"10.0.0.1:5", "10.3.3.3, 10.1.1.1", "10.3.3.3"}, // all are ours
		{"10.0.0.1:5", "9.9.9.9, unknown", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9, 10.1.1.1, , ", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9, garbage, 10.1.1.1", "10.1.1.1"},
		{"10.0.0.1:5", "9.9.9.9:1234", "9.9.9.9"},
		{"10.0.0.1:5", "::ffff:9.9.9.9", "9.9.9.9"},
		{"[::ffff:10.0.0.1]:5", "9.9.9.9", "9.9.9.9"},
		{"[fd00::1]:5", "2001:db8::1", "2001:db8::1"},
		{"[fd00::1%eth0]:5", "[2001:db8::1]:99, [fd00::2]", "2001:db8::1"},
		{"[fd00::1]:5", "fe80::1%eth0", "fe80::1"},
		{"[fd00::1]:5", "[fe80::1%25eth0]:8", "fe80::1"},
		{"10.0.0.1:5", "010.1.1.1", "10.0.0.1"}, // no address to netip
		{"@", "9.9.9.9", "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
		if c.forwarded != "" {
			r.Header["X-Forwarded-For"] = strings.Split(c.forwarded, "|")
		}
		if got := s.clientAddress(r).String(); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

// On a loopback address, a name that is not the server's own is refused on every route.
func TestHost(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{Hosts: []string{"pad.example"}}, nil)
	_, port, _ := net.SplitHostPort(s.address)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:1": 200, "localhost:" + port: 200, "127.0.0.1": 200, "127.0.0.1:" + port: 200, "127.9.9.9:7": 200, "[::1]": 200, "[::1]:4321": 200,
		"LOCALHOST": 200, "LocalHost:" + port: 200, "localhost.": 200, "localhost.:" + port: 200, "LOCALHOST.:1": 200, "127.0.0.1.": 200,
		"pad.example": 200, "PAD.example:443": 200, "PAD.example.": 200, "pad.example.:443": 200,
		"localhost..": 403, ".localhost": 403, ".": 403, "pad.example..": 403, "localhost.:1:2": 403,
		"evil.example": 403, "evil.example:" + port: 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1": 403, "0.0.0.0": 403,
		"[::1%25lo]": 403, "[fe80::1]:80": 403, "xpad.example": 403, "": 403, "localhost:1:2": 403, "2130706433": 403, "evil.example@localhost": 400,
	} {
		for path, request := range map[string]string{
			"/healthz": request("GET", "/healthz", "", "Host: "+host),
			"/mcp":     call("append_log", `{"agent_id":"a","path":"log","entry":"x"}`, withKey, "Host: "+host),
		} {
			if a := s.dial().send(request).read("GET"); a.status != want {
				t.Errorf("Host %q for %s: %v, want %d", host, path, a, want)
			}
		}
	}
}

// On an address that is not loopback, any name will do.
func TestHostBeyondLoopback(t *testing.T) {
	for address, want := range map[string]bool{"192.0.2.1:4321": true, "[2001:db8::1]:4321": true, "127.0.0.1:4321": false, "[::1]:4321": false, "[::ffff:127.0.0.1]:4321": false} {
		local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
		r := (&http.Request{Host: "pad.example"}).WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(local)))
		if own := new(Server).isOwnHost(r); own != want {
			t.Errorf("at %s the name is own: %v, want %v", address, own, want)
		}
	}
}
