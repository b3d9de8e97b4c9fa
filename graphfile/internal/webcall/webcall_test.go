package webcall_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/webcall"
)

func hosts(t *testing.T, list ...string) webcall.Hosts {
	t.Helper()
	h, err := webcall.NewHosts(list)
	require.NoError(t, err)
	return h
}

func TestHosts(t *testing.T) {
	t.Parallel()
	h := hosts(t, "API.example.com", "other.example.com.:8080", "[::1]:81", "127.0.0.1", "::2")
	for address, want := range map[string]bool{
		"https://api.example.com/x": true, "http://api.example.com": true, "https://api.example.com:443": true, "https://API.EXAMPLE.COM./": true,
		"https://api.example.com:8443/": false, "https://example.com/": false, "https://x.api.example.com/": false, "https://api.example.com.evil.com/": false,
		"http://other.example.com:8080/": true, "http://other.example.com/": false, "http://[::1]:81/": true, "http://[::1]/": false, "http://[::2]/": true,
		"http://127.0.0.1/": true, "http://127.0.0.1:8080/": false, "http://127.1/": false, "http://2130706433/": false, "ftp://api.example.com/": false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, want, h.Allow(u), address)
	}
	for _, text := range []string{"", "http://x", "a/b", "a@b", "a:b", "a:123456", "a b", ":80", "a:b:c"} {
		_, err := webcall.NewHosts([]string{text})
		require.Error(t, err, text)
	}
	require.False(t, webcall.Hosts{}.Allow(&url.URL{Scheme: "https", Host: "api.example.com"}))
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://localhost:1/": true, "http://127.0.0.1/": true, "http://127.9.9.9/": true, "http://[::1]/": true, "http://[::ffff:127.0.0.1]/": true,
		"http://10.0.0.1/": false, "http://localhost.example.com/": false, "http://example.com/": false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, want, webcall.Hosts{}.Loopback(u), address)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		args map[string]any
		want string // or the error
	}{
		{"https://h/v1/${args.a}/x", map[string]any{"a": "b c/d?e#f"}, "https://h/v1/b%20c%2Fd%3Fe%23f/x"},
		{"https://h/v1?a=${ args.a }&b=${args.b}", map[string]any{"a": "x&y=z", "b": int64(3)}, "https://h/v1?a=x%26y%3Dz&b=3"},
		{"https://h/${args.a}", map[string]any{}, "https://h/"},
		{"https://h/${args.a}", map[string]any{"a": nil}, "https://h/"},
		{"https://h/${args.a}", map[string]any{"a": 1.5}, "https://h/1.5"},
		{"https://h/?q=${args.a}", map[string]any{"a": []any{int64(1), "x"}}, "https://h/?q=%5B1%2C%22x%22%5D"},
		{"https://h/a/${args.a}", map[string]any{"a": ".."}, "an argument must not lead to another path"},
		{"https://h/a/${args.a}", map[string]any{"a": "../b"}, "an argument must not lead to another path"},
		{"https://h/a/.${args.a}", map[string]any{"a": "."}, "an argument must not lead to another path"},
		{"https://h/${x}", nil, "only ${args.NAME} can stand in an address"},
		{"https://${args.a}/", nil, "the host must not depend on arguments"},
		{"https://h:${args.a}/", nil, "it is no address"},
		{"https://h${args.a}", nil, "the host must not depend on arguments"},
		{"${args.a}", nil, "it is no address"},
		{"file:///etc/passwd", nil, "it is no address"},
		{"https://me:pw@h/", nil, "an address must not hold a user or password"},
		{"https://h/#x", nil, "an address has no fragment"},
	} {
		a, err := webcall.ParseAddress(c.text)
		var got *url.URL
		if err == nil {
			require.Equal(t, "h", a.Host().Host)
			got, err = a.With(c.args)
		}
		if err != nil {
			require.ErrorContains(t, err, c.want, c.text)
			continue
		}
		require.Equal(t, c.want, got.String(), c.text)
	}
}

// FuzzAddress shows that no argument changes the host, or leaves the path.
func FuzzAddress(f *testing.F) {
	f.Add("x", "y")
	f.Add("../..", "&a=b#")
	f.Add("%2e%2e/", "@evil.com/")
	a, err := webcall.ParseAddress("https://h/v1/${args.a}/z?q=${args.b}")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		u, err := a.With(map[string]any{"a": x, "b": y})
		if err != nil {
			return
		}
		if u.Host != "h" || u.User != nil || u.Fragment != "" || !strings.HasPrefix(u.Path, "/v1/") || !strings.HasSuffix(u.Path, "/z") || u.Query().Get("q") != y || len(u.Query()) != 1 {
			t.Fatalf("%q and %q make %s", x, y, u)
		}
	})
}

// A name that leads to this machine is refused where the machine itself is not
// listed: what is looked at is the address that is connected to.
func TestPrivateAddressesMustBeListedThemselves(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) }))
	defer srv.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	call := func(list, address string) (string, error) {
		u, err := url.Parse(address)
		require.NoError(t, err)
		return webcall.NewClient(hosts(t, list)).Call(t.Context(), "GET", u, http.Header{}, "", 100)
	}
	out, err := call("127.0.0.1:"+port, srv.URL)
	require.NoError(t, err)
	require.Equal(t, "secret", out)
	out, err = call("localhost:"+port, "http://localhost:"+port)
	require.NoError(t, err)
	require.Equal(t, "secret", out)
	_, err = call("[::ffff:127.0.0.1]:"+port, "http://[::ffff:127.0.0.1]:"+port)
	require.ErrorContains(t, err, "127.0.0.1, which is private; it must be listed itself")
	_, err = call("example.com", srv.URL)
	require.ErrorContains(t, err, "is not allowed")
}
