package flags

import (
	"fmt"
	"net/netip"
)

// A Network is an address, or all that begin like it.
type Network struct{ netip.Prefix }

// UnmarshalText is kong's hook.
func (n *Network) UnmarshalText(text []byte) (err error) {
	if a, notOne := netip.ParseAddr(string(text)); notOne == nil && a.Zone() == "" {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("must be an address such as 10.0.0.1, or a network such as 10.0.0.0/8; not %.60q", text)
	}
	return nil
}

// Prefixes returns networks in the form of the standard library.
func Prefixes(networks []Network) (all []netip.Prefix) {
	for _, n := range networks {
		all = append(all, n.Prefix)
	}
	return all
}
