package handoffs_test

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
)

// String describes the program.
func (p *rndProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d inputs", p.Inputs)
	for _, part := range []struct {
		name string
		has  bool
		v    any
	}{
		{"cap", p.Cap != 0, p.Cap}, {"tokens", p.Tokens != 0, p.Tokens}, {"accept", p.Accept != 0, p.Accept}, {"script", p.Script != nil, p.Script}, {"depth", p.Depth != 0, p.Depth}, {"misses", p.Misses != 0, p.Misses}, {"supervisor", p.Supervisor != "", p.Supervisor},
		{"ladder", p.Ladder != nil, p.Ladder}, {"siblings", p.Siblings != "", p.Siblings}, {"multiple", p.Multiple != "", p.Multiple}, {"rude", p.Rude, ""}, {"tools", p.Tools, ""},
	} {
		if part.has {
			fmt.Fprintf(&b, ", %s %v", part.name, part.v)
		}
	}
	b.WriteByte('\n')
	for _, e := range p.Edges {
		fmt.Fprintf(&b, "edge %+v\n", e)
	}
	for i := range p.Agents {
		p.Agents[i].describe(&b)
	}
	return b.String()
}

func (a *rndAgent) describe(b *strings.Builder) {
	b.WriteString("agent " + a.ID)
	if a.Conversational {
		b.WriteString(" conversational")
	}
	if a.InOrder {
		b.WriteString(" in order")
	}
	if a.Room > 0 {
		fmt.Fprintf(b, " room %d", a.Room)
	}
	if a.Turns > 0 {
		fmt.Fprintf(b, " turns %d", a.Turns)
	}
	b.WriteByte('\n')
	for i := range a.Does {
		b.WriteString("  " + a.Does[i].String() + "\n")
	}
}

func (t *rndTurn) String() string {
	var parts []string
	if t.Mute {
		parts = append(parts, "mute")
	}
	if t.Fail != "" {
		parts = append(parts, "fail "+t.Fail)
	}
	if t.Takes > 0 {
		parts = append(parts, fmt.Sprint("takes ", t.Takes))
	}
	if t.Tokens > 0 {
		parts = append(parts, fmt.Sprint("tokens ", t.Tokens))
	}
	for i := range t.Ops {
		parts = append(parts, t.Ops[i].String())
	}
	if len(t.Ops) == 0 && t.Fail == "" {
		parts = append(parts, "end")
	}
	return strings.Join(parts, ", ")
}

func (o *rndOp) String() string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s %s", o.Kind, o.To, o.Task, o.Priority))
	if o.Budget+o.Most > 0 {
		text += fmt.Sprintf(" budget %d most %d", o.Budget, o.Most)
	}
	switch o.Kind {
	case handoffs.Wait:
		text += fmt.Sprintf(" %v %v %d", o.For, o.Signals, o.Count)
	case handoffs.Return:
		text += rndOutcome(&o.Result)
	case handoffs.Spawn:
		for i := range o.Branches {
			text += " " + strings.TrimSpace(o.Branches[i].String()) + ";"
		}
		text += fmt.Sprintf(" %+v", o.Join)
	}
	return text
}
