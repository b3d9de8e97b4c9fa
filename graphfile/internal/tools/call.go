package tools

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/graphfile/internal/webcall"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// call is an HTTP call.
type call struct {
	pos     source.Pos
	method  string
	address *webcall.Address
	header  []header
	body    *expression.Value // nil: as sends says
	place   string            // of body
	needs   []need            // variables that headers name
}

// header is a header whose value may hold expressions.
type header struct {
	name, place string
	value       *expression.Value
}

// need is a variable with the place where it is used.
type need struct {
	name string
	pos  source.Pos
}

// httpCall reads {url, method, headers, body}.
func (t *Spec) httpCall(f *source.Fields) *call {
	c := &call{method: http.MethodGet}
	args := expression.Scope{}.With("args", expression.Record(t.keys.Keys))
	if n := f.Need("url"); n != nil {
		c.pos = n.Pos
		t.address(c, f)
	}
	for _, e := range f.Entries("headers") {
		t.header(c, e, args)
	}
	if n := f.Take("body"); n != nil {
		c.method = http.MethodPost
		c.body, _ = t.page.Value(n, args)
		c.place = t.page.At(n.Pos, "body")
	}
	if m, ok := f.OneOf("method", "GET", "POST", "PUT", "PATCH", "DELETE"); ok {
		c.method = m
	}
	if f.Has("body") && c.method == http.MethodGet {
		t.page.Rep.Errorf(f.KeyPos("body"), "a GET has no body")
	}
	f.Done()
	return c
}

// address reads the URL.
func (t *Spec) address(c *call, f *source.Fields) {
	text, ok := f.Text("url")
	if !ok {
		return
	}
	var err error
	if c.address, err = webcall.ParseAddress(text); err != nil {
		d := t.page.Rep.Errorf(c.pos, "\"url\": %v", err)
		if strings.Contains(err.Error(), "password") {
			d.Line = ""
		}
		if strings.Contains(err.Error(), "args.NAME") {
			d.Hint = `the arguments are args: write for example https://api.example.com/v1/${args.city}`
		}
		return
	}
	for _, name := range c.address.Names() {
		if _, known := t.keys.Keys.Keys[name]; !known && !t.keys.Keys.Open {
			t.page.Rep.Unknown(c.pos, "argument", name, sortedKeys(t.keys.Keys.Keys))
		}
	}
}

// secretHeaders are headers whose values are secrets.
func secretHeaders() []string {
	return []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key"}
}

// envName finds the variables that a header names.
var envName = regexp.MustCompile(`\benv\.([A-Za-z_][A-Za-z0-9_]*)`)

// header reads a header. A secret that stands in the file is an error.
func (t *Spec) header(c *call, e source.Entry, args expression.Scope) {
	known := &expression.Shape{Keys: map[string]expression.Type{}}
	for _, name := range t.env {
		known.Keys[name] = expression.Type{Kind: expression.String}
	}
	if _, ok := t.page.Rep.Text(e.Value, `"`+e.Key+`"`); !ok {
		return
	}
	name := http.CanonicalHeaderKey(e.Key)
	if slices.Contains(secretHeaders(), name) && !expressions.MatchString(e.Value.Text) {
		d := t.page.Rep.Errorf(e.KeyPos, "the secret of the header %q must not stand in a file", e.Key)
		d.Line, d.Hint = "", `name an environment variable under "env", and write for example "Bearer ${env.API_KEY}"`
		return
	}
	value, ok := t.page.Value(e.Value, args.With("env", expression.Record(known)))
	if !ok {
		return
	}
	for _, m := range envName.FindAllStringSubmatch(e.Value.Text, -1) {
		c.needs = append(c.needs, need{m[1], e.Value.Pos})
	}
	c.header = append(c.header, header{name, t.page.At(e.Value.Pos, e.Key), value})
}

// run makes the call with the arguments of a model.
func (c *call) run(ctx context.Context, client *webcall.Client, env map[string]any, most int, data json.RawMessage) (string, error) {
	value, err := state.ParseAny(data)
	if err != nil {
		return "", err
	}
	args, _ := value.(map[string]any)
	u, err := c.address.With(args)
	if err != nil {
		return "", err
	}
	h, err := c.headers(expression.Values{"args": args, "env": env})
	if err != nil {
		return "", err
	}
	body, err := c.content(h, args, data)
	if err != nil {
		return "", err
	}
	return client.Call(ctx, c.method, u, h, body, most)
}

func (c *call) headers(env expression.Env) (http.Header, error) {
	h := http.Header{}
	for i := range c.header {
		v, err := c.header[i].value.Eval(env)
		if err != nil {
			return nil, &page.EvalError{Place: c.header[i].place, Err: err}
		}
		text, err := task.TextOf(v)
		if err != nil {
			return nil, &page.EvalError{Place: c.header[i].place, Err: err}
		}
		h.Set(c.header[i].name, text)
	}
	return h, nil
}

// content is the body: what the file says, else the arguments, where a body is
// usual.
func (c *call) content(h http.Header, args map[string]any, data json.RawMessage) (string, error) {
	kind := "application/json"
	text := string(data)
	switch {
	case c.body != nil:
		v, err := c.body.Eval(expression.Values{"args": args})
		if err != nil {
			return "", &page.EvalError{Place: c.place, Err: err}
		}
		if _, ok := v.(string); ok {
			kind = "text/plain; charset=utf-8"
		}
		if text, err = task.TextOf(v); err != nil {
			return "", &page.EvalError{Place: c.place, Err: err}
		}
	case c.method == http.MethodGet || c.method == http.MethodDelete:
		return "", nil
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", kind)
	}
	return text, nil
}
