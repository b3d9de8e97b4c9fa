package models

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"time"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/nodes/model"
)

// The times that a call may take where the file does not say: until the next
// piece of an answer comes, and for all of it.
const (
	usualIdle  = 2 * time.Minute
	usualTotal = 10 * time.Minute
)

// spec reads a text like "openai:gpt-4o", or a map; nil if it is wrong.
func (s *Section) spec(n *source.Node, at source.Pos, what string) *Spec {
	out := &Spec{Use: Use{Place: s.Place(at)}, File: s.File, Pos: at, total: usualTotal, idle: usualIdle}
	if n.Kind == source.String {
		if !s.use(n, what, out) {
			return nil
		}
		return out
	}
	if n.Kind != source.Map {
		s.Rep.Errorf(n.Pos, "%s: expected text like \"openai:gpt-4o\" or a map, found %s", what, n.Kind)
		return nil
	}
	f := s.Rep.Fields(n, what)
	use := f.Need("use")
	ok := use != nil && s.use(use, `"use"`, out)
	s.server(f, out)
	settings(f, out)
	s.extra(f, out)
	pace(f, out)
	out.retry = task.ReadRetry(s.Page, f)
	if !f.Done() || !ok {
		return nil
	}
	return out
}

// variable is the form of names of environment variables.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsVariable reports whether a text can be the name of an environment variable.
func IsVariable(text string) bool { return variable.MatchString(text) }

// server reads where the model is and what opens it. What may be a key is not
// shown again.
func (s *Section) server(f *source.Fields, to *Spec) {
	for _, key := range f.Present("key", "api_key", "apikey", "token", "secret") {
		d := s.Rep.Errorf(f.KeyPos(key), "a key must not stand in a file")
		d.Line, d.Hint = "", `write "key_env" with the name of an environment variable that holds it`
	}
	if name, ok := f.Text("key_env"); ok {
		if to.KeyEnv = name; !IsVariable(name) {
			d := s.Rep.Errorf(f.Take("key_env").Pos, "\"key_env\" is not the name of an environment variable")
			d.Line, d.Hint = "", "the key itself must not stand in a file; write for example OPENAI_API_KEY"
		}
	}
	base, ok := f.Text("base_url")
	if !ok {
		return
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		s.Rep.Errorf(f.Take("base_url").Pos, "\"base_url\" is no address of a server").Hint = "write it like https://host/v1"
	case u.User != nil:
		d := s.Rep.Errorf(f.Take("base_url").Pos, "\"base_url\" must not hold a user or password")
		d.Line, d.Hint = "", `write "key_env" with the name of an environment variable that holds the key`
	}
	to.BaseURL = base
}

// settings read what all requests have.
func settings(f *source.Fields, to *Spec) {
	if v, ok := f.Float("temperature", 0, 2); ok {
		to.Ask.Temperature = &v
	}
	if v, ok := f.Float("top_p", 0, 1); ok {
		to.Ask.TopP = &v
	}
	if v, ok := f.Int("seed", math.MinInt64, math.MaxInt64); ok {
		to.Ask.Seed = &v
	}
	most, _ := f.Int("max_tokens", 1, math.MaxInt32)
	to.Ask.MaxTokens = int(most)
	if f.Has("stop") {
		to.Ask.Stop, _ = f.TextOrTexts("stop")
	}
}

// extra reads fields that only the provider knows.
func (s *Section) extra(f *source.Fields, to *Spec) {
	for _, e := range f.Entries("extra") {
		data, err := e.Value.MarshalJSON()
		if err != nil {
			s.Rep.Errorf(e.Value.Pos, "\"extra\": %v", err)
			continue
		}
		if to.Extra == nil {
			to.Extra = map[string]json.RawMessage{}
		}
		to.Extra[e.Key] = data
	}
}

// pace reads how long and how often. A time of 0 is no bound.
func pace(f *source.Fields, to *Spec) {
	if d, ok := f.Duration("timeout", 0, task.Longest); ok {
		to.total = d
	}
	if d, ok := f.Duration("idle_timeout", 0, task.Longest); ok {
		to.idle = d
	}
	if !f.Has("limit") {
		return
	}
	l := f.Fields("limit", `"limit"`)
	to.limit = model.LimiterConfig{
		Requests: count(l, "requests_per_minute"), Tokens: count(l, "tokens_per_minute"), Concurrent: count(l, "concurrent"),
	}
	l.Done()
}

// count reads a whole number from 1; 0 if it is not there.
func count(f *source.Fields, key string) int {
	n, _ := f.Int(key, 1, math.MaxInt32)
	return int(n)
}
