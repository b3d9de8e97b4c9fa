package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
)

// Peer is the server that errors tell of. It does not change and may be used
// concurrently.
type Peer struct {
	provider, model string
	secrets         []string
	quoted          *regexp.Regexp // what begins as a secret does; nil: nothing
}

// NewPeer makes a Peer. The key and the values of header are in no error.
func NewPeer(provider, name, key string, header map[string]string) *Peer {
	p := &Peer{provider: provider, model: name}
	if key != "" {
		p.secrets = append(p.secrets, key)
	}
	for _, value := range header {
		p.secrets = append(p.secrets, value)
		if _, token, ok := strings.Cut(value, " "); ok {
			p.secrets = append(p.secrets, token)
		}
	}
	var begins []string
	for _, s := range p.secrets {
		if len(s) >= 12 {
			begins = append(begins, regexp.QuoteMeta(s[:6]), regexp.QuoteMeta(s[:3])+`[\w-]*[*.…]{2,}`)
		}
	}
	if begins != nil {
		p.quoted = regexp.MustCompile(`(` + strings.Join(begins, "|") + `)[^\s"'<>,;()]*`)
	}
	return p
}

// hide takes out secrets, and what a server quotes of them: "sk-ab***yz".
func (p *Peer) hide(text string) string {
	text = model.Hide(text, p.secrets...)
	if p.quoted != nil {
		text = p.quoted.ReplaceAllString(text, "[redacted]")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Error makes an error of a class. The text may be long and hold secrets.
func (p *Peer) Error(class model.Class, format string, args ...any) *model.Error {
	text := fmt.Sprintf(format, args...)
	return &model.Error{Class: class, Provider: p.provider, Model: p.model, Text: model.Excerpt(p.hide(text))}
}

// Lost makes an error of what the client says of a connection. It is the cause
// of ctx if that has ended, an *Error that is one already, TimedOut if a time
// ran out, and of the class if it is anything else.
func (p *Peer) Lost(ctx context.Context, class model.Class, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // its text has the address, with all that is in it
		err = u.Err
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		class = model.TimedOut
	}
	e := p.Error(class, "%s", err)
	e.Err = err
	return e
}

// Send sends a request, between a provider's client and the connection: the
// client's own errors hold requests with keys, read bodies of any size, and lose
// those that are no JSON.
func (p *Peer) Send(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	switch {
	case err != nil:
		return nil, p.Lost(req.Context(), model.Unreachable, err)
	case res.StatusCode >= 300:
		return nil, p.Refused(res)
	}
	return res, nil
}

// Client returns a client for h, or for http.DefaultClient if h is nil, that
// follows no redirection unless h says how: a key is for one server.
func Client(h *http.Client) *http.Client {
	if h == nil {
		h = http.DefaultClient
	}
	c := *h
	if c.CheckRedirect == nil {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &c
}

// CheckAddress says what is wrong with a base URL.
func CheckAddress(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("the base URL is no URL: it should look like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("the base URL %q should look like https://host/v1", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the base URL of %s must end with its path, without a query", u.Host)
	}
	return nil
}

// CheckKey says what is wrong with a key, without telling it.
func CheckKey(key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("the key has a space, a line break or another character that no key has")
		}
	}
	return nil
}
