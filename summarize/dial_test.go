package summarize

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	publicAddrs = "1.1.1.1 160.79.104.10 172.15.255.255 172.32.0.0 100.128.0.0 11.0.0.0 2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2a00::1"
	ownAddrs    = "127.0.0.1 64:ff9b::127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 64:ff9b::10.0.0.1 ::ffff:10.1.2.3 fc00::1 fdff::1 198.18.0.5"
	// Neighbours, the addresses where clouds hand out credentials, and those where no server is.
	neverAddrs = "169.254.169.254 64:ff9b::169.254.169.254 169.254.0.1 ::ffff:169.254.169.254 fe80::1 fe80::1%eth0 febf::1 100.100.100.200 fd00:ec2::254 168.63.129.16 192.0.0.192 " +
		"0.0.0.0 0.1.2.3 :: 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 ff02::1 ff0e::1 64:ff9b:1::1 2002:a9fe:a9fe:: 2002:101:101::1 2001::1 ::169.254.169.254 fec0::1 100::1 4000::1"
)

// Each base URL allows only some addresses.
func TestAddressRule(t *testing.T) {
	for _, c := range []struct {
		base    string
		private bool
		allowed string
		refused string
	}{
		{"https://api.example", false, publicAddrs, ownAddrs + " " + neverAddrs},
		{"https://api.example", true, publicAddrs + " " + ownAddrs, neverAddrs},
		{"http://vllm.internal", true, ownAddrs, publicAddrs + " " + neverAddrs},
		{"http://localhost:11434", false, "127.0.0.1 ::1 127.0.0.2", "1.1.1.1 10.0.0.1 169.254.169.254"},
		{"http://LOCALHOST.", true, "127.0.0.1 ::1", "1.1.1.1 10.0.0.1 169.254.169.254"},
		{"http://127.0.0.1:8000", false, "127.0.0.1 ::ffff:127.0.0.1", "127.0.0.2 ::1 10.0.0.1 1.1.1.1"},
		{"http://10.1.2.3", false, "10.1.2.3", "10.1.2.4 127.0.0.1 169.254.169.254"},
		{"http://169.254.10.10", true, "169.254.10.10", "169.254.169.254 127.0.0.1"},
		{"http://[fe80::5]:1", true, "fe80::5", "fe80::6 169.254.169.254 ::1"},
		{"http://[fd12::5]:1", false, "fd12::5", "fd12::6 ::1"},
		{"https://1.1.1.1", false, "1.1.1.1", "1.0.0.1 127.0.0.1"},
	} {
		_, rule, err := parseBase(c.base, c.private)
		if err != nil {
			t.Errorf("%s: %v", c.base, err)
			continue
		}
		control := rule.control(nil)
		for want, list := range map[bool]string{true: c.allowed, false: c.refused} {
			for addr := range strings.FieldsSeq(list) {
				err := control(t.Context(), "tcp4", net.JoinHostPort(addr, "443"), nil)
				var refused *refusedAddress
				if (err == nil) != want || err != nil && !errors.As(err, &refused) {
					t.Errorf("%s, private %v: %s: %v", c.base, c.private, addr, err)
				}
			}
		}
		for _, odd := range []string{"", "x", "host:80", "1.1.1.1"} {
			if control(t.Context(), "tcp4", odd, nil) == nil {
				t.Errorf("%q is allowed", odd)
			}
		}
		if control(t.Context(), "udp4", "1.1.1.1:53", nil) == nil {
			t.Error("udp is allowed")
		}
	}
}

// A base URL must not have an address where no server can be.
func TestOddHosts(t *testing.T) {
	for _, host := range []string{
		"0.0.0.0", "[::]", "224.0.0.1", "255.255.255.255", "[ff02::1]", "[2002:a9fe:a9fe::]", "",
	} {
		for _, private := range []bool{false, true} {
			for _, scheme := range []string{"http", "https"} {
				if _, _, err := parseBase(scheme+"://"+host+":80/v1", private); err == nil {
					t.Errorf("%s://%s, private %v: no error", scheme, host, private)
				}
			}
		}
	}
	for _, base := range []string{"ftp://x", "//x", "x", "http:x", "https://", "https://x/?", "https://x/#a", "file:///etc/passwd", "https://u:p@x"} {
		if _, _, err := parseBase(base, true); err == nil {
			t.Errorf("%s: no error", base)
		}
	}
	for base, want := range map[string]string{"https://x.example/v1//": "https://x.example/v1", "http://[::1]:8/a%20b/": "http://[::1]:8/a%20b"} {
		if got, _, err := parseBase(base, false); got != want || err != nil {
			t.Errorf("%q: %q, %v", base, got, err)
		}
	}
}

// A link-local address in a base URL needs AllowPrivate. It must not have a zone.
func TestLinkLocalHosts(t *testing.T) {
	for _, host := range []string{"169.254.10.10", "169.254.169.254", "[fe80::1]", "[febf::1]", "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]"} {
		for _, scheme := range []string{"http", "https"} {
			for _, private := range []bool{false, true} {
				_, err := newProvider(&openaiAPI, ProviderOptions{Key: secret, BaseURL: scheme + "://" + host + ":80/v1", AllowPrivate: private}, hooks{})
				if (err == nil) != private || err != nil && !strings.Contains(err.Error(), "--summary-allow-private") {
					t.Errorf("%s://%s, private %v: %v", scheme, host, private, err)
				}
			}
		}
	}
	for _, host := range []string{"[fe80::1%25eth0]", "[fe80::1%25eth0]:80", "[fe80::1%251]", "[fd00::1%25a%2525b]", "[::1%25lo]", "[fe80::1%eth0]", "[::ffff:169.254.10.10%25eth0]"} {
		for _, private := range []bool{false, true} {
			if _, err := newProvider(&openaiAPI, ProviderOptions{Key: secret, BaseURL: "http://" + host + "/", AllowPrivate: private}, hooks{}); !errors.Is(err, workspace.ErrInvalid) {
				t.Errorf("http://%s/, private %v: %v", host, private, err)
			}
		}
	}
}

// A resolver answers each look-up of a name with the next address of a list. After
// the last it repeats the last.
type resolver struct {
	mu    sync.Mutex // guards the rest
	addrs []string
	looks int
}

func (r *resolver) net() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go r.serve(ours)
		return theirs, nil
	}}
}

// serve answers one question, as DNS over TCP does.
func (r *resolver) serve(c net.Conn) {
	defer c.Close()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	q := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, q); err != nil {
		return
	}
	end := 12
	for q[end] != 0 {
		end += int(q[end]) + 1
	}
	end += 5 // the 0, type and class
	m := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
	if kind := binary.BigEndian.Uint16(q[end-4:]); kind == 1 { // A
		r.mu.Lock()
		addr := netip.MustParseAddr(r.addrs[min(r.looks, len(r.addrs)-1)]).As4()
		r.looks++
		r.mu.Unlock()
		m[7] = 1
		m = append(m, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		m = append(m, addr[:]...)
	}
	c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(m))), m...))
}

var errDialed = errors.New("the rule let it be dialed")

// If a name stands for a public address at the first look-up and for a private one
// at the second, the private server never receives the key.
func TestRebinding(t *testing.T) {
	var heard []string
	wrong := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		heard = append(heard, fmt.Sprint(r.Header))
	}))
	defer wrong.Close()
	port := netip.MustParseAddrPort(wrong.Listener.Addr().String()).Port()
	for _, second := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "100.64.0.9", "0.0.0.0", "192.168.0.1"} {
		for _, scheme := range []string{"https", "http"} {
			var dialed []string
			names := &resolver{addrs: []string{"1.1.1.1", second}}
			h := hooks{wait: (&pauses{}).wait}
			h.dialer.Resolver = names.net()
			h.dialer.Control = func(_, address string, _ syscall.RawConn) error { // nothing leaves this machine
				dialed = append(dialed, address)
				return errDialed
			}
			_, rule, err := parseBase("https://rebind.example", false)
			testkit.Must(t, err)
			rule.plain = scheme == "http" // as it would be if parseBase were wrong
			p := &provider{api: &anthropicAPI, url: fmt.Sprintf("%s://rebind.example:%d/v1/messages", scheme, port), key: secret, model: "m", maxTokens: 600, window: 9000, timeout: providerTimeout, hooks: h.withDefaults()}
			p.transport = newTransport(rule, p.hooks)
			for look := range 3 {
				_, err := p.summarize(t.Context(), request("text"))
				checkError(t, err)
				if refused := strings.Contains(err.Error(), "refused to connect"); refused != (look > 0 || scheme == "http") {
					t.Errorf("%s, look %d: %v", second, look, err)
				}
			}
			if want := map[string]int{"https": 1, "http": 0}[scheme]; len(dialed) != want || names.looks != 3 {
				t.Errorf("%s: %d looks, dialed %v", second, names.looks, dialed)
			}
		}
	}
	if len(heard) > 0 {
		t.Errorf("the wrong server heard %v", heard)
	}
}

// No redirect is followed, whatever its status and target.
func TestRedirects(t *testing.T) {
	for _, a := range apis {
		wrong := newFake(t, answering(good(a, "I have it", "end_turn", 1, 1)))
		for _, code := range []int{301, 302, 303, 307, 308, 300} {
			for _, to := range []string{wrong.URL + "/v1/messages", "http://169.254.169.254/latest/meta-data/", "/elsewhere", "file:///etc/passwd", "::"} {
				f := newFake(t, status(code, "", "Location", to)(a))
				_, err := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{}).Summarize(t.Context(), request("text"))
				checkError(t, err)
				if !strings.Contains(err.Error(), "redirects are not followed") || f.asked.Load() != 1 {
					t.Errorf("%d to %s: asked %d times: %v", code, to, f.asked.Load(), err)
				}
			}
		}
		if n := wrong.asked.Load(); n > 0 {
			t.Errorf("the wrong server was asked %d times", n)
		}
	}
}

// No proxy of the environment sees a request. net/http reads the environment only
// once in a process, so the test runs another process.
func TestNoProxy(t *testing.T) {
	testkit.SkipInShort(t)
	if os.Getenv("HTTPS_PROXY") == "" || os.Getenv("SUMMARIZE_NO_PROXY") == "" {
		proxy := newFake(t, answering("{}"))
		child := exec.Command(os.Args[0], "-test.run=^TestNoProxy$")
		child.Env = append(os.Environ(), "SUMMARIZE_NO_PROXY=1", "HTTPS_PROXY="+proxy.URL, "HTTP_PROXY="+proxy.URL, "ALL_PROXY="+proxy.URL, "NO_PROXY=")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	var dialed []string
	h := hooks{wait: (&pauses{}).wait}
	h.dialer.Resolver = (&resolver{addrs: []string{"1.1.1.1"}}).net()
	h.dialer.Control = func(_, address string, _ syscall.RawConn) error {
		dialed = append(dialed, address)
		return errDialed
	}
	_, err := summarizer(t, &openaiAPI, ProviderOptions{Key: secret}, h).Summarize(t.Context(), request("text"))
	checkError(t, err)
	if len(dialed) != 1 || dialed[0] != "1.1.1.1:443" {
		t.Errorf("dialed %v: %v", dialed, err)
	}
}

// The certificate is checked before the key is sent.
func TestTLS(t *testing.T) {
	var asked int
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		answering(good(&openaiAPI, r.Proto, "end_turn", 1, 1))(w, r)
	}))
	s.Config.ErrorLog = quiet
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	_, err := summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: s.URL}, hooks{}).Summarize(t.Context(), request("text"))
	checkError(t, err)
	if asked != 0 || !strings.Contains(err.Error(), "no connection by TLS: ") {
		t.Errorf("asked %d times: %v", asked, err)
	}
	h := hooks{roots: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	got, err := summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: s.URL}, h).Summarize(t.Context(), request("text"))
	if err != nil || got.Text != "HTTP/2.0" {
		t.Errorf("%+v, %v", got, err)
	}
	plain := newFake(t, answering("{}"))
	_, err = summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: "https" + strings.TrimPrefix(plain.URL, "http")}, hooks{}).Summarize(t.Context(), request("text"))
	checkError(t, err)
	if !strings.Contains(err.Error(), "no connection by TLS: ") {
		t.Error(err)
	}
}
