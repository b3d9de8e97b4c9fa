package cli

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/nodes/transcript"
)

// means are what agents with models have to work with.
type means struct {
	record, replay string
	exec           bool
	hosts          []string
}

const meansHelp = `Models of the file take their keys from the environment: OPENAI_API_KEY and
ANTHROPIC_API_KEY, or what key_env names; OPENAI_BASE_URL, ANTHROPIC_BASE_URL
and OLLAMA_HOST say where they are. --record keeps each of their calls in a
directory; --replay plays them from there, without keys and network.

Tools of the file run commands only with --allow-exec, and call only hosts
that --allow-host names. A model at a base_url of the file must be on this
machine, or at such a host.

`

func (m *means) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&m.record, "record", "", "directory in which the calls of models are kept")
	fs.StringVar(&m.replay, "replay", "", "directory from which the calls of models are played")
	fs.BoolVar(&m.exec, "allow-exec", false, "let tools of the file run commands")
	fs.StringArrayVar(&m.hosts, "allow-host", nil, "host that tools may call, HOST or HOST:PORT; may be given several times")
	completeNothing(cmd, "allow-host")
}

// check refuses flags that do not go together.
func (m *means) check(cmd *cobra.Command) error {
	for _, flag := range []string{"record", "replay"} {
		if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
			return usage("--%s: which directory?", flag)
		}
	}
	if m.record != "" && m.replay != "" {
		return usage("--record keeps calls of models and --replay plays them; give one of them")
	}
	if m.replay != "" {
		if info, err := os.Stat(m.replay); err != nil || !info.IsDir() {
			return usage("--replay %s: there is no such directory; --record makes one", m.replay)
		}
	}
	if _, err := graphfile.ParseHosts(m.hosts); err != nil {
		return usage("--allow-host: %w", err)
	}
	return nil
}

// words are the flags, for another command that goes on.
func (m *means) words() (out []string) {
	if m.exec {
		out = append(out, "--allow-exec")
	}
	for _, host := range m.hosts {
		out = append(out, "--allow-host", shellQuote(host))
	}
	if m.record != "" {
		out = append(out, "--record", shellQuote(m.record))
	}
	if m.replay != "" {
		out = append(out, "--replay", shellQuote(m.replay))
	}
	return out
}

// options are those to load a file with that is to be run.
func (r *runner) options() *graphfile.Options {
	opt := &graphfile.Options{
		Models: r.modelOf, Allow: &graphfile.Allow{Exec: r.means.exec, Hosts: r.means.hosts, Getenv: r.Getenv},
	}
	switch {
	case r.means.record != "":
		opt.Around = (&tapes{record: r.means.record}).around
	case r.means.replay != "":
		opt.Around = (&tapes{replay: r.means.replay}).around
	}
	return opt
}

// home is what the environment tells of a provider.
type home struct{ key, base string }

func homes() map[string]home {
	return map[string]home{
		"openai":    {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
		"anthropic": {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	}
}

// modelOf makes a model with the key and the address that the environment has.
func (r *runner) modelOf(s graphfile.ModelSpec) (model.Model, error) {
	key, err := r.keyOf(&s)
	if err != nil {
		return nil, err
	}
	base, err := r.baseOf(&s)
	if err != nil {
		return nil, err
	}
	if s.Provider == "anthropic" {
		return orNone(anthropic.New(anthropic.Config{Name: s.Name, Key: key, BaseURL: base, Extra: s.Extra}))
	}
	c := openai.Config{Name: s.Name, Key: key, BaseURL: base, Provider: s.Provider, Extra: s.Extra}
	if s.Provider == "openai" && s.BaseURL == "" {
		c.Profile = transcript.OpenAI() // wherever it is, so that recordings fit elsewhere
	}
	return orNone(openai.New(c))
}

// orNone keeps a nil pointer from being a model.
func orNone[M model.Model](m M, err error) (model.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keyOf finds the key of a model; "": it needs none.
func (r *runner) keyOf(s *graphfile.ModelSpec) (string, error) {
	name := s.KeyEnv
	if name == "" && s.BaseURL == "" { // a key of the user's is for the server of the user's alone
		name = homes()[s.Provider].key
	}
	switch {
	case r.means.replay != "":
		return "replay", nil
	case name == "" && s.Provider == "ollama":
		return "ollama", nil // it heeds none, and what stands in front of it may want one
	case name == "":
		return "", nil
	}
	key := strings.TrimSpace(r.Getenv(name))
	if key == "" {
		return "", fmt.Errorf("it needs a key: the environment variable %s is not set", name)
	}
	return key, nil
}

// baseOf finds where a model is; "": at its provider.
func (r *runner) baseOf(s *graphfile.ModelSpec) (string, error) {
	if s.BaseURL != "" {
		return s.BaseURL, r.reachable(s.BaseURL)
	}
	if s.Provider == "ollama" {
		return ollamaAt(r.Getenv("OLLAMA_HOST"))
	}
	return r.Getenv(homes()[s.Provider].base), nil
}

// reachable refuses addresses that a file names by itself.
func (r *runner) reachable(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("base_url is no address")
	}
	hosts, err := graphfile.ParseHosts(r.means.hosts)
	if err != nil {
		return err
	}
	if r.means.replay != "" || hosts.Loopback(u) || hosts.Allow(u) {
		return nil
	}
	return fmt.Errorf("base_url leads to %s, which is not allowed: give --allow-host %s", u.Host, u.Host)
}

// ollamaAt makes of OLLAMA_HOST, which may be HOST, HOST:PORT or a URL, where the
// server speaks as OpenAI's does.
func ollamaAt(host string) (string, error) {
	if host = strings.TrimSpace(host); host == "" {
		return "http://localhost:11434/v1", nil
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the environment variable OLLAMA_HOST is no address: write HOST, HOST:PORT or http://HOST:PORT")
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host = net.JoinHostPort(u.Hostname(), "11434")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") + "/v1"
	return u.String(), nil
}
