package flags_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

func TestNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "10.0.0.0/8": "10.0.0.0/8", "fd00::/8": "fd00::/8",
		"": "", "proxy": "", "10.0.0.0/33": "", "10.0.0.1:80": "", "fe80::1%eth0": "",
	} {
		var n flags.Network
		err := n.UnmarshalText([]byte(text))
		if (err == nil) != (want != "") || err == nil && n.String() != want {
			t.Errorf("%q = %v, %v; want %q", text, n, err, want)
		}
	}
}

func TestServerRate(t *testing.T) {
	for text, want := range map[string]auth.Rate{
		"50": {PerSecond: 50, Burst: 200}, "0.1": {PerSecond: 0.1, Burst: 1}, "2:7": {PerSecond: 2, Burst: 7}, "0": {PerSecond: -1}, "1e30": {PerSecond: 1e30, Burst: 1e9},
	} {
		var r flags.ServerRate
		if err := r.UnmarshalText([]byte(text)); err != nil || r.Rate != want {
			t.Errorf("%s is %+v, %v, want %+v", text, r.Rate, err, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "1:", "1:0", "0:5", "1:-1", "1:2:3", "NaN", "Inf", "1:1.5", "default"} {
		var r flags.ServerRate
		if err := r.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %+v, want an error", text, r.Rate)
		}
	}
}
