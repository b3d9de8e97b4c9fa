package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
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
	keys := []string{key}
	for field, value := range header {
		if secretive.MatchString(field) {
			keys = append(keys, value, value[strings.LastIndexByte(value, ' ')+1:])
		} else if len(value) >= 8 {
			p.secrets = append(p.secrets, value)
		}
	}
	p.secrets = append(p.secrets, keys...)
	slices.SortFunc(p.secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	p.quoted = quoted(keys)
	return p
}

// secretive are the names of headers that hold keys.
var secretive = regexp.MustCompile(`(?i)auth|key|token|secret|cookie`)

// quoted finds keys that a server quotes in part: "sk-ab***yz". Short ones are
// not told from words.
func quoted(keys []string) *regexp.Regexp {
	var begins []string
	for _, k := range keys {
		if len(k) >= 8 {
			begins = append(begins, regexp.QuoteMeta(k[:3])+`[\w-]*(?:[*.]{2,}|…)`)
		}
		if len(k) >= 12 {
			begins = append(begins, regexp.QuoteMeta(k[:6]))
		}
	}
	if begins == nil {
		return nil
	}
	return regexp.MustCompile(`(` + strings.Join(begins, "|") + `)[^\s"'<>,;()]*`)
}

// hide takes out secrets, and what a server quotes of them.
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
