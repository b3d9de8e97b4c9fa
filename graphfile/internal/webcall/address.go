package webcall

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// Address is a URL with places for arguments in its path and query.
type Address struct {
	pieces []string // constant texts, with the name of an argument behind each but the last
	names  []string
	query  []bool // the argument is in the query
}

// place is where an argument goes.
var place = regexp.MustCompile(`\$\{\s*args\.([A-Za-z_][A-Za-z0-9_]*)\s*\}`)

// ParseAddress reads a URL. Its host must be a constant.
func ParseAddress(text string) (*Address, error) {
	a := &Address{}
	at := 0
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		a.pieces = append(a.pieces, text[at:m[0]])
		a.names = append(a.names, text[m[2]:m[3]])
		a.query = append(a.query, strings.Contains(text[:m[0]], "?"))
		at = m[1]
	}
	a.pieces = append(a.pieces, text[at:])
	for _, p := range a.pieces {
		if strings.Contains(p, "${") {
			return nil, errors.New("only ${args.NAME} can stand in an address")
		}
	}
	return a, a.check()
}

// check looks at the part before the first argument.
func (a *Address) check() error {
	first := a.pieces[0]
	u, err := url.Parse(strings.Join(a.pieces, "x"))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("it is no address: it should look like https://host/path")
	case u.User != nil:
		return errors.New("an address must not hold a user or password; use a header")
	case len(a.names) > 0 && strings.Count(first, "/") < 3:
		return errors.New("the host must not depend on arguments: the first of them can stand behind https://host/")
	case u.Fragment != "":
		return errors.New("an address has no fragment (#…)")
	}
	return nil
}

// Names are those of the arguments in it.
func (a *Address) Names() []string { return a.names }

// Host is the address without path and query.
func (a *Address) Host() *url.URL {
	u, err := url.Parse(strings.Join(a.pieces, "x"))
	if err != nil { // it was read before
		return &url.URL{}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}

// With puts arguments into the address, escaped.
func (a *Address) With(args map[string]any) (*url.URL, error) {
	var b strings.Builder
	for i, p := range a.pieces {
		b.WriteString(p)
		if i == len(a.names) {
			break
		}
		text, err := plain(args[a.names[i]])
		if err != nil {
			return nil, fmt.Errorf("the argument %q: %w", a.names[i], err)
		}
		if a.query[i] {
			b.WriteString(url.QueryEscape(text))
		} else {
			b.WriteString(url.PathEscape(text))
		}
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, errors.New("the arguments make no address")
	}
	for _, segment := range strings.Split(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, errors.New("an argument must not lead to another path")
		}
	}
	return u, nil
}

// plain is an argument as text; of null and of what is not there "".
func plain(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	data, err := state.AppendAny(nil, v)
	return string(data), err
}
