package summarize

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// A zone is a use of addresses.
type zone int

const (
	public zone = iota
	loopback
	private   // the operator's own network
	linkLocal // also the addresses where clouds hand out credentials
	reserved  // no server can be there
)

var zoneNames = [...]string{"public", "loopback", "private", "link-local or metadata", "reserved"}

// zones gives the zone of addresses that package netip takes for others. The first prefix
// that contains an address decides.
var zones = []struct {
	prefix netip.Prefix
	zone   zone
}{
	{netip.MustParsePrefix("168.63.129.16/32"), linkLocal},
	{netip.MustParsePrefix("100.100.100.200/32"), linkLocal},
	{netip.MustParsePrefix("192.0.0.192/32"), linkLocal},
	{netip.MustParsePrefix("fd00:ec2::254/128"), linkLocal},
	{netip.MustParsePrefix("fd20:ce::254/128"), linkLocal},
	{netip.MustParsePrefix("100.64.0.0/10"), private},
	{netip.MustParsePrefix("198.18.0.0/15"), private},
	{netip.MustParsePrefix("0.0.0.0/8"), reserved},
	{netip.MustParsePrefix("240.0.0.0/4"), reserved},
	{netip.MustParsePrefix("2001::/32"), reserved}, // Teredo: any IPv4 address within
	{netip.MustParsePrefix("2002::/16"), reserved}, // 6to4, the same
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// zoneOf returns the zone of an address. That of an address of NAT64 is the zone of the IPv4
// address in it.
func zoneOf(a netip.Addr) zone {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, z := range zones {
		if z.prefix.Contains(a) {
			return z.zone
		}
	}
	switch {
	case a.IsLoopback():
		return loopback
	case a.IsPrivate():
		return private
	case a.IsLinkLocalUnicast():
		return linkLocal
	case a.Is4() && a.IsGlobalUnicast(), netip.MustParsePrefix("2000::/3").Contains(a):
		return public
	}
	return reserved
}

// An addressRule says to which addresses a connection may be made for a base URL.
// It checks the address of the socket. A name that is looked up twice, with
// different results, cannot get around it.
type addressRule struct {
	host      string     // as the operator wrote it, with the port
	literal   netip.Addr // the host if it is an address: only this one is allowed
	localhost bool       // the host is "localhost": only loopback is allowed
	plain     bool       // http
	private   bool       // the operator allows private addresses
}

// local reports whether the operator named an address that is not public.
func (r addressRule) local() bool {
	return r.localhost || r.literal.IsValid() && zoneOf(r.literal) != public
}

// A refusedAddress says that the rule forbids an address.
type refusedAddress struct{ zone zone }

func (e *refusedAddress) Error() string {
	return fmt.Sprintf("refused to connect to a %s address: correct the base URL; if the address is meant, put it "+
		"into the base URL, or allow private addresses (--summary-allow-private)", zoneNames[e.zone])
}

func (r addressRule) check(a netip.Addr) error {
	a = a.Unmap()
	z := zoneOf(a)
	isLocal := z == loopback || z == private
	var allowed bool
	switch {
	case r.literal.IsValid():
		allowed = a == r.literal
	case r.localhost:
		allowed = z == loopback
	case r.plain: // would show the text and the key to the network
		allowed = r.private && isLocal
	default:
		allowed = z == public || r.private && isLocal
	}
	if !allowed {
		return &refusedAddress{z}
	}
	return nil
}

type control = func(network, address string, c syscall.RawConn) error

// control returns a function that net.Dialer calls for each address before it
// connects.
func (r addressRule) control(next control) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, network, address string, c syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !strings.HasPrefix(network, "tcp") {
			return &refusedAddress{reserved}
		}
		if err := r.check(to.Addr()); err != nil {
			return err
		}
		if next != nil {
			return next(network, address, c)
		}
		return nil
	}
}

// parseBase reads a base URL and returns it without a slash at its end. Its errors
// do not quote the URL, which may contain a secret.
func parseBase(base string, private bool) (string, addressRule, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", addressRule{}, errors.New("the base URL must be https://HOST/PATH, or http for a local server")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", addressRule{}, errors.New("the base URL must have no user, query or fragment; put the key into " +
			"the environment")
	}
	r := addressRule{host: u.Host, plain: u.Scheme == "http", private: private}
	r.localhost = strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), "localhost")
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		r.literal = a.Unmap()
		if z := zoneOf(a); z == reserved || z == linkLocal && !private || a.Zone() != "" {
			return "", addressRule{}, fmt.Errorf("the base URL has a %s address; a server on this machine is at "+
				"127.0.0.1, and a link-local address needs --summary-allow-private", zoneNames[z])
		}
	}
	switch {
	case r.plain && !r.local() && !private:
		return "", addressRule{}, errors.New("plain http is for localhost or a private address in the base URL; use " +
			"https, or allow private addresses (--summary-allow-private) if the host name is one")
	case r.plain && r.literal.IsValid() && !r.local():
		return "", addressRule{}, errors.New("plain http would show the text and the key to the network; use https")
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), r, nil
}
