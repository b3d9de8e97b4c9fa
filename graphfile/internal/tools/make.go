package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/command"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/webcall"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
)

// Allow says what the tools of files may do. The zero Allow: nothing.
type Allow struct {
	Exec   bool            // run commands
	Client *webcall.Client // that calls the hosts which are allowed; nil: none
	// Getenv reads an environment variable, "" is one that is not set; nil: none
	// is.
	Getenv func(name string) string
	// Nowhere says that files are in no directory in which a command could run.
	Nowhere bool
}

func (a *Allow) getenv(name string) string {
	if a.Getenv == nil {
		return ""
	}
	return a.Getenv(name)
}

// dir is where the tool's file is.
func (t *Spec) dir() string { return filepath.Dir(filepath.FromSlash(t.page.File.Name)) }

// problem is why the tool cannot be run, where it stands.
func (t *Spec) problem(at source.Pos, hint, format string, args ...any) source.Diagnostic {
	f := t.page.File
	return source.Diagnostic{File: f.Name, Pos: at, Line: f.Line(at.Line), Hint: hint, Message: fmt.Sprintf("the tool %q ", t.Name) + fmt.Sprintf(format, args...)}
}

// Make makes the tool. What keeps it from running is told; the tool then fails
// when it is called, as it does with a nil Allow.
func (t *Spec) Make(a *Allow) (nodes.Tool, source.Diagnostics) {
	out := t.Tool
	if t.made {
		return out, nil
	}
	run, problems := t.runner(a)
	if run == nil {
		place := t.page.Place(t.Pos)
		run = func(context.Context, json.RawMessage) (string, error) {
			return "", fmt.Errorf("%s: the tool %q was not made ready", place, t.Name)
		}
	}
	out.Run = run
	return out, problems
}

type runner func(ctx context.Context, args json.RawMessage) (string, error)

func (t *Spec) runner(a *Allow) (runner, source.Diagnostics) {
	switch {
	case a == nil, !t.whole():
		return nil, nil
	case t.call != nil:
		return t.caller(a)
	case !a.Exec:
		return nil, source.Diagnostics{t.problem(t.at, "allow commands by --allow-exec, or in Go by Options.Allow", "runs a command, which is not allowed")}
	case a.Nowhere:
		return nil, source.Diagnostics{t.problem(t.at, "", "runs a command, and the file is in no directory of the system")}
	}
	path, err := command.Find(t.exec[0], t.dir(), a.getenv("PATH"))
	if err != nil {
		return nil, source.Diagnostics{t.problem(t.at, "", "cannot be run: %v", err)}
	}
	dir, err := filepath.Abs(t.dir())
	if err != nil {
		return nil, source.Diagnostics{t.problem(t.at, "", "cannot be run: %v", err)}
	}
	c := &command.Command{Path: path, Args: t.exec[1:], Dir: dir, Most: t.most}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append([]string{"HOME", "PATH"}, t.env...)))) {
		if value := a.getenv(name); value != "" {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	return hiding(c.Run, t.secrets(a)), nil
}

// whole reports whether nothing of the tool is missing; what is was told.
func (t *Spec) whole() bool {
	if t.call != nil {
		return t.call.address != nil
	}
	return len(t.exec) > 0 && t.exec[0] != ""
}

// caller makes the tool of an HTTP call.
func (t *Spec) caller(a *Allow) (runner, source.Diagnostics) {
	var problems source.Diagnostics
	if host := t.call.address.Host(); a.Client == nil || !a.Client.Hosts().Allow(host) {
		problems = append(problems, t.problem(t.call.pos, "allow it by --allow-host "+host.Host+", or in Go by Options.Allow", "calls %s, which is not allowed", host.Host))
	}
	env := map[string]any{}
	for _, name := range t.env {
		env[name] = a.getenv(name)
	}
	for _, n := range t.call.needs {
		if env[n.name] == "" {
			problems = append(problems, t.problem(n.pos, "", "needs the environment variable %s, which is not set", n.name))
		}
	}
	if problems != nil {
		return nil, problems
	}
	return hiding(func(ctx context.Context, args json.RawMessage) (string, error) {
		return t.call.run(ctx, a.Client, env, t.most, args)
	}, t.secrets(a)), nil
}

// secrets are the values of the variables that the tool gets, but for those that
// tell nothing.
func (t *Spec) secrets(a *Allow) (out []string) {
	for _, name := range t.env {
		if value := a.getenv(name); value != "" && !public(name) {
			out = append(out, value)
		}
	}
	return out
}

// public says that a variable's value is none that must be hidden.
func public(name string) bool {
	names := []string{"HOME", "PATH", "PWD", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LANGUAGE"}
	return slices.Contains(names, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}

// hiding takes secrets out of what a tool tells.
func hiding(run runner, secrets []string) runner {
	if len(secrets) == 0 {
		return run
	}
	return func(ctx context.Context, args json.RawMessage) (string, error) {
		text, err := run(ctx, args)
		if err != nil {
			err = errors.New(model.Hide(err.Error(), secrets...))
		}
		return model.Hide(text, secrets...), err
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
