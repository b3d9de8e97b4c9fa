// Package webcall makes HTTP calls as tools of models: to hosts that were allowed
// alone, bounded in time and size.
package webcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Client makes calls to the hosts that are allowed. It may be used by any number
// of goroutines at once.
type Client struct {
	hosts Hosts
	http  *http.Client
}

// NewClient makes a client. It uses no proxy.
func NewClient(h Hosts) *Client {
	c := &Client{hosts: h}
	c.http = &http.Client{
		Transport:     &http.Transport{DialContext: c.dial, TLSHandshakeTimeout: 10 * time.Second, DisableKeepAlives: true},
		CheckRedirect: c.redirect,
	}
	return c
}

// Hosts are those that it calls.
func (c *Client) Hosts() Hosts { return c.hosts }

// dial connects to a host whose address may be called. The address that is
// looked at is the one that is connected to.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := &net.Dialer{Timeout: 30 * time.Second, Control: func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		return c.hosts.reachable(strings.ToLower(host), at.Addr().WithZone(""))
	}}
	return d.DialContext(ctx, network, address)
}

// redirect follows a redirection on the same host only.
func (c *Client) redirect(r *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case len(before) > 5:
		return errors.New("more than 5 redirections")
	case r.URL.Scheme != first.Scheme || target(r.URL) != target(first):
		return fmt.Errorf("it redirects to %s, which is another host: that is not followed", r.URL.Host)
	}
	return nil
}

// Call sends a request and returns the body of its answer, of at most so many
// bytes. A status other than 2xx is an error with the body's beginning.
func (c *Client) Call(ctx context.Context, method string, u *url.URL, header http.Header, body string, most int) (string, error) {
	if !c.hosts.Allow(u) {
		return "", fmt.Errorf("the host %s is not allowed", target(u))
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return "", errors.New("the request cannot be made: a header or the method has a character that HTTP does not take")
	}
	r.Header = header
	res, err := c.http.Do(r)
	if err != nil {
		return "", lost(ctx, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	switch {
	case err != nil:
		return "", lost(ctx, err)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return "", fmt.Errorf("the server answered %s%s", res.Status, excerpt(data))
	case len(data) > most:
		return "", fmt.Errorf("the answer has more than %d bytes", most)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// lost is why a call failed, without its address, which may hold what the model
// knows already and what it must not.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return err
}

// excerpt is the beginning of the body of an error.
func excerpt(data []byte) string {
	const most = 1000
	text := strings.TrimSpace(strings.ToValidUTF8(string(data[:min(len(data), most)]), "\uFFFD"))
	if text == "" {
		return ""
	}
	return ": " + text
}
