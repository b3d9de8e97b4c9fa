package handoffs_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// rndLong says that a program takes too many turns to be run.
const rndLong = "too long"

// rndKinds are all kinds that a log can have a record of.
var rndKinds = []handoffs.Kind{
	handoffs.Transfer, handoffs.Call, handoffs.Escalate, handoffs.Spawn, handoffs.Resume, handoffs.Return, handoffs.Refuse, handoffs.Wait,
}

// rndOptions say how a program is run.
type rndOptions struct {
	store      checkpoint.Store // nil: in memory
	thread     string
	checkViews bool
	other      *rndProgram // that the reference runs; nil: the same
}

// runProgram compares a program's session with the reference, input by input.
func runProgram(p *rndProgram, o rndOptions) (end string, err error) {
	ref := &refRun{p: cmp.Or(o.other, p)}
	defer ref.close()
	team, err := newRndTeam(p)
	if err != nil {
		return "", err
	}
	if o.store == nil {
		o.store, o.thread = checkpoint.NewMemory(nil), "t"
	}
	run := team.on(o.store, o.thread)
	run.cfg.CheckViews = o.checkViews
	check := &rndCheck{p: p}
	run.watch = check.step
	for n := 1; n <= p.Inputs; n++ {
		want := ref.input(n)
		if ref.turns >= refLong {
			return rndLong, nil
		}
		check.over = ref.over
		got, err := run.input(context.Background(), n)
		if err == nil {
			err = errors.Join(same("end", want, got), ref.compare(run.last))
		}
		if err == nil && want == refDone {
			err = check.end(run.last)
		}
		if err != nil {
			return "", fmt.Errorf("input %d: %w", n, err)
		}
		if want != refDone {
			end = want
		}
	}
	return cmp.Or(end, refDone), nil
}

// compare says where a state differs from what the reference came to.
func (r *refRun) compare(s *rndState) error {
	return errors.Join(
		sameList("messages", r.said, rndSaid(s.Messages)),
		sameList("handoffs", texts(r.handoffs), rndHistory(s)),
		same("owner", r.owner, s.Handoffs.Owner),
		same("handoffs counted", r.begun(), s.Handoffs.Counts["handoffs"]),
		same("turns counted", r.turns-len(r.due), s.Handoffs.Counts["turns"]),
		same("tokens", r.tokens, s.Handoffs.Spent.Tokens),
	)
}

// begun is how many handoffs have begun.
func (r *refRun) begun() int { return r.handed - len(r.queue) }

func same[T comparable](what string, want, got T) error {
	if want == got {
		return nil
	}
	return fmt.Errorf("%s: want\n%v\ngot\n%v", what, want, got)
}

// sameList tells where two lists differ first.
func sameList(what string, want, got []string) error {
	if slices.Equal(want, got) {
		return nil
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	piece := func(list []string) string {
		var b strings.Builder
		for _, text := range list[min(len(list), max(0, at-20)):min(len(list), at+6)] {
			fmt.Fprintf(&b, "%.400s\n", text)
		}
		return b.String()
	}
	return fmt.Errorf("%s, %d of %d and %d: want\n%sgot\n%s", what, at+1, len(want), len(got), piece(want), piece(got))
}

func texts[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.String()
	}
	return out
}

// rndWords finds the words of the engine in messages: what is kept is before.
var rndWords = regexp.MustCompile(`^(Handoff to \S* rejected|failed: |rejected: ).*`)

// rndSaid is a conversation as the reference tells it.
func rndSaid(ms []state.Message) (out []string) {
	for _, m := range ms {
		name, text := m.Name, m.Text()
		if m.Role == state.RoleTool || m.Role == state.RoleAI && text == "" {
			continue // it only calls tools, or answers a call: see rndCheck
		}
		if m.Role == state.RoleHuman {
			name = "user"
		}
		if m.Role == state.RoleSystem {
			text = rndWords.ReplaceAllString(text, "$1")
		}
		out = append(out, name+": "+text)
	}
	return out
}

// rndHistory is what came of all handoffs of a session.
func rndHistory(s *rndState) (out []string) {
	for h := range handoffs.History(handoffs.LogOf(s.HandoffLog), handoffs.Filter{Kinds: rndKinds}) {
		row := refHandoff{kind: h.Kind, from: h.From, to: h.To, status: h.Status, code: h.Code}
		if h.Status == handoffs.PendingAccept { // which the reference does not tell from running
			row.status = handoffs.Running
		}
		out = append(out, row.String())
	}
	return out
}

// rndOver reports whether nothing is open on a desk but the user's frame.
func rndOver(d *handoffs.Desk) bool {
	return len(d.Frames) == 1 && d.Frames[0].State == handoffs.FrameInput && len(d.Queue)+len(d.Groups)+len(d.Parked) == 0
}
