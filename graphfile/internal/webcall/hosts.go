package webcall

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Hosts are those that may be called: HOST, for the ports 80 and 443, or
// HOST:PORT. None is allowed by the zero Hosts.
type Hosts struct{ list []string }

// NewHosts reads a list of hosts.
func NewHosts(list []string) (Hosts, error) {
	var h Hosts
	for _, text := range list {
		host, port := parts(text)
		if host == "" || strings.ContainsAny(host, "/@?# ") || port != "" && !isPort(port) {
			return h, fmt.Errorf("%q is no host: write HOST or HOST:PORT, as in api.example.com or 127.0.0.1:8080", text)
		}
		for _, p := range ports(port) {
			h.list = append(h.list, net.JoinHostPort(host, p))
		}
	}
	return h, nil
}

// parts are host and port of a text, in small letters; the port may be "".
func parts(text string) (host, port string) {
	text = strings.ToLower(text)
	if host, port, err := net.SplitHostPort(text); err == nil {
		return strings.TrimSuffix(host, "."), port
	}
	host = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if strings.Contains(host, ":") {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", ""
		}
	}
	return strings.TrimSuffix(host, "."), ""
}

func isPort(port string) bool {
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(port) <= 5
}

func ports(port string) []string {
	if port == "" {
		return []string{"80", "443"}
	}
	return []string{port}
}

// Allow reports whether an address may be called.
func (h Hosts) Allow(u *url.URL) bool { return slices.Contains(h.list, target(u)) }

// names reports whether a host itself is listed, with any port.
func (h Hosts) names(host string) bool {
	return slices.ContainsFunc(h.list, func(one string) bool {
		listed, _, _ := net.SplitHostPort(one)
		return listed == host
	})
}

// target is the host of an address with its port.
func target(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), port)
}

// Loopback reports whether an address is of this machine, by its text.
func (Hosts) Loopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// reachable says why an IP address that a host has must not be called: private
// ones are only for those who list them.
func (h Hosts) reachable(host string, ip netip.Addr) error {
	ip = ip.Unmap()
	open := ip.IsGlobalUnicast() && !ip.IsPrivate() && !shared.Contains(ip)
	switch {
	case open, h.names(ip.String()), host == "localhost" && ip.IsLoopback():
		return nil
	}
	return fmt.Errorf("%s has the address %s, which is private; it must be listed itself", host, ip)
}

// shared are the addresses that providers share among their customers.
var shared = netip.MustParsePrefix("100.64.0.0/10")
