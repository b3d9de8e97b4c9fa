package handoffs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var ruleNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ruleOffice is a registry of agents that checks are tried on.
func ruleOffice() *Registry {
	return MustRegistry(
		Profile{ID: "supervisor", System: true, Selectable: true},
		Profile{ID: "bc", Capabilities: []string{"erp"}, Selectable: true},
		Profile{ID: "rag", Capabilities: []string{"rag_search"}, Specialization: "search", Selectable: true},
		Profile{ID: "audit", System: true},
		Profile{ID: "down", Unavailable: true},
		Profile{ID: "shy", Refuses: true},
	)
}

// ruleCase is a handoff from bc to a target, under a policy.
func ruleCase(p *Policy, target string) *Case {
	if p.Registry == nil {
		p.Registry = ruleOffice()
	}
	if p.Supervisor == "" {
		p.Supervisor = "supervisor"
	}
	cmd := NewCommand(target, Delegation, "because")
	c := &Case{Policy: p, Desk: &Desk{}, Command: &cmd, Now: ruleNoon, Session: "s", From: "bc"}
	c.Source, _ = p.Registry.Get("bc")
	c.Target, _ = p.Registry.Get(target)
	return c
}

// ruleCodesOf tells what a check has against a case.
func ruleCodesOf(c *Case, name string) []Code {
	k, ok := CheckNamed(name)
	if !ok {
		panic("no check " + name)
	}
	var out []Code
	for _, f := range k.Run(c) {
		out = append(out, f.Code)
	}
	return out
}

// firstFailure is the first failure of a check.
func firstFailure(t *testing.T, c *Case, name string) Failure {
	t.Helper()
	k, _ := CheckNamed(name)
	fs := k.Run(c)
	require.NotEmpty(t, fs)
	require.NotEmpty(t, fs[0].Message)
	return fs[0]
}

func ruleCodes(c ...Code) []Code { return c }

// ruleLog makes a log of handoffs: "a>b" is an accepted transfer, "a>b#h" one
// with a context hash, "a<b" a return to a from b, "a!b" a rejected one, "a+b" the
// second attempt of one, "a:b" a call, "." something else.
func ruleLog(hops ...string) Log {
	var out []Entry
	for i, h := range hops {
		id := fmt.Sprint("h", i)
		h, hash, _ := strings.Cut(h, "#")
		at := strings.IndexAny(h, "><!+:.")
		from, to := h[:at], h[at+1:]
		e := Entry{Handoff: id, From: from, To: to, Kind: Transfer, Record: &Record{ID: id, From: from, To: to, Hash: hash}}
		switch h[at] {
		case '>':
			e.Stages = []Status{Requested, Validated, Accepted, Running}
		case ':':
			e.Kind, e.Stages = Call, []Status{Requested, Validated, Accepted, Running}
		case '<':
			e.From, e.To, e.Kind, e.Event, e.Stages = to, from, Return, EventReturn, []Status{Returned}
		case '!':
			e.Stages = []Status{Requested, Rejected}
		case '+':
			e.Kind, e.Event, e.Attempt, e.Record = "", EventRetry, 2, nil
		case '.':
			e = Entry{Event: EventTask, From: "x"}
		}
		out = append(out, e)
	}
	return LogOf(out)
}

// ruleHops repeats hops.
func ruleHops(n int, hops ...string) []string { return slices.Repeat(hops, n) }
