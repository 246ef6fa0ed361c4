package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns where a request comes from: the peer of the connection, or if
// that is a trusted proxy, the rightmost address of X-Forwarded-For that is not one. If
// all are, it is the leftmost. An entry that is not an address ends the search: the
// address before it is the last that is known. The zero Addr is unknown.
func (s *Server) clientAddress(r *http.Request) netip.Addr {
	addr, _ := parseAddress(r.RemoteAddr)
	entries := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for _, entry := range slices.Backward(entries) {
		next, ok := parseAddress(strings.TrimSpace(entry))
		if !ok || !s.trusted(addr) {
			break
		}
		addr = next
	}
	return addr
}

// isForwarded reports whether a proxy has passed a request on. Then the client may be
// anywhere, even if the proxy is on this machine.
func isForwarded(r *http.Request) bool {
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "X-Forwarded-Host", "X-Forwarded-Proto",
		"Via"} {
		if len(r.Header[name]) > 0 {
			return true
		}
	}
	return false
}

func (s *Server) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.o.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// parseAddress reads an address with or without a port, a zone and brackets. The result
// has no zone, and IPv4 is IPv4.
func parseAddress(text string) (addr netip.Addr, ok bool) {
	addr, err := netip.ParseAddr(hostOf(text))
	return addr.Unmap().WithZone(""), err == nil
}

// hostOf removes the port and the brackets of a host.
func hostOf(text string) string {
	if strings.Count(text, ":") == 1 || strings.HasPrefix(text, "[") {
		if host, _, err := net.SplitHostPort(text); err == nil {
			return host
		}
		if inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "["), "]"); ok && strings.HasPrefix(text, "[") {
			return inner
		}
	}
	return text
}

// isOwnHost reports whether the Host of a request may be served. A page of another site can give
// its own name a loopback address, and then send requests that seem to come from the same origin.
func (s *Server) isOwnHost(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	if addr, ok := parseAddress(local.String()); !ok || !addr.IsLoopback() {
		return true
	}
	host := strings.TrimSuffix(hostOf(r.Host), ".") // a name may end in a dot, which means the same
	addr, err := netip.ParseAddr(host)
	return isAmong(host, s.o.Hosts) || strings.EqualFold(host, "localhost") ||
		err == nil && addr.IsLoopback() && addr.Zone() == ""
}

// isAmong reports whether a host is one of some names.
func isAmong(host string, names []string) bool {
	return host != "" && slices.ContainsFunc(names, func(name string) bool {
		return strings.EqualFold(strings.TrimSuffix(name, "."), host)
	})
}
