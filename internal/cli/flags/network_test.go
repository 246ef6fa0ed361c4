package flags

import "testing"

func TestNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "10.0.0.0/8": "10.0.0.0/8", "fd00::/8": "fd00::/8",
		"": "", "proxy": "", "10.0.0.0/33": "", "10.0.0.1:80": "", "fe80::1%eth0": "",
	} {
		var n Network
		err := n.UnmarshalText([]byte(text))
		if (err == nil) != (want != "") || err == nil && n.String() != want {
			t.Errorf("%q = %v, %v; want %q", text, n, err, want)
		}
	}
}
