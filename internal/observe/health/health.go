// Package health asks a server of this program whether it is ready.
package health

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// Options are the options of [Ask].
type Options struct {
	Addr        string        // host:port, where the server listens; "": 127.0.0.1 and Port
	Port        string        // "": 4321
	Certificate string        // a PEM file: the server uses TLS, with this certificate; "": no TLS
	Timeout     time.Duration // for everything together; must be above 0
}

const maxAnswer = 4 << 10 // bytes

// ErrNotReady says that the server answers in another way, or not at all.
var ErrNotReady = errors.New("not ready")

// notReady is an error of the kind ErrNotReady, which its text does not show.
type notReady struct{ error }

func (n notReady) Unwrap() []error { return []error{n.error, ErrNotReady} }

// reasonOf returns the cause of an error of the network, without the addresses around it.
func reasonOf(err error) error {
	var system syscall.Errno
	var name *net.DNSError
	var call *neturl.Error
	switch {
	case errors.As(err, &system):
		return system
	case errors.As(err, &name):
		return errors.New("there is no host of that name")
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// Ask returns the URL that it has asked, and nil if the server is ready. Errors:
// [ErrNotReady]; any other one is about the options.
func Ask(ctx context.Context, o Options) (url string, err error) {
	if o.Timeout <= 0 {
		return "", fmt.Errorf("a timeout of %v; give more than 0", o.Timeout)
	}
	host, err := address(o)
	if err != nil {
		return "", err
	}
	// A proxy is for other machines, and a redirect is not the answer of this program.
	transport, url := &http.Transport{DisableKeepAlives: true}, "http://"+host+"/readyz"
	if o.Certificate != "" {
		if transport.TLSClientConfig, err = trust(o.Certificate); err != nil {
			return "", err
		}
		url = "https://" + host + "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return url, err
	}
	request.Host = "localhost" // a server on a loopback address refuses other names
	answer, err := client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return url, notReady{fmt.Errorf("%s does not answer within %v", url, o.Timeout)}
	}
	if err != nil {
		return url, notReady{fmt.Errorf("no server is ready at %s: %w; start one with scratchpad serve, or name its "+
			"address with --addr", url, reasonOf(err))}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return url, notReady{fmt.Errorf("%s: %w", url, reasonOf(err))}
	case answer.StatusCode == http.StatusBadRequest && o.Certificate == "" && strings.Contains(string(text), "HTTPS"):
		return url, notReady{fmt.Errorf("the server at %s uses TLS; give its certificate with --tls-cert", host)}
	case answer.StatusCode != http.StatusOK:
		return url, notReady{fmt.Errorf("%s is not ready: %s: %s", url, answer.Status, strings.TrimSpace(string(text)))}
	}
	return url, nil
}

// address returns host and port to connect to. An address that stands for all is this machine's.
func address(o Options) (string, error) {
	addr := cmp.Or(o.Addr, net.JoinHostPort("127.0.0.1", cmp.Or(o.Port, "4321")))
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
		return "", fmt.Errorf("the address %.100q is not host:port; give one such as 127.0.0.1:4321", addr)
	}
	return addr, nil
}

// trust accepts the certificate of a file, by whatever address the server is asked.
func trust(file string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is not a PEM file; give the file of serve --tls-cert", file)
	}
	own, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; give the file of serve --tls-cert", file, err)
	}
	return &tls.Config{
		InsecureSkipVerify: true, // the certificate itself is compared instead of its name
		VerifyConnection: func(s tls.ConnectionState) error {
			now := time.Now()
			switch {
			case len(s.PeerCertificates) == 0 || !s.PeerCertificates[0].Equal(own):
				return fmt.Errorf("the server has another certificate than %s", file)
			case now.After(own.NotAfter) || now.Before(own.NotBefore):
				return fmt.Errorf("the certificate of the server is valid from %s to %s",
					own.NotBefore.Format(time.RFC3339), own.NotAfter.Format(time.RFC3339))
			}
			return nil
		},
	}, nil
}
