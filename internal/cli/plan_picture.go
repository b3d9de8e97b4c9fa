package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/plan"
)

// lines returns the list on at most so many lines; 0: any number. If it has
// more, what is at work or failed comes first and the others are counted.
func (l *planList) lines(p *painter, spin string, most int) []string {
	out := []string{l.heading(p)}
	width := 0
	for i := range l.steps {
		width = max(width, min(topo.Columns(oneLine(l.steps[i].id)), maxPathWidth))
	}
	if most <= 0 || len(l.steps) < most {
		for i := range l.steps {
			out = append(out, l.steps[i].row(p, spin, width))
		}
		return out
	}
	for _, s := range l.upfront(max(most-2, 0)) {
		out = append(out, s.row(p, spin, width))
	}
	if most > 1 {
		out = append(out, p.ink.dim(clip("  "+l.rest(), p.width)))
	}
	return out
}

// upfront are the steps that are shown where there is room for so many only:
// those at work, then those that failed, then those that come next.
func (l *planList) upfront(most int) (out []planItem) {
	for _, want := range []plan.Status{plan.Running, plan.Failed, plan.Pending} {
		for _, s := range l.steps {
			if len(out) < most && s.kind() == want {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b planItem) int { return cmp.Compare(a.place, b.place) })
	return out
}

// rest counts the steps.
func (l *planList) rest() string {
	counts := map[plan.Status]int{}
	for i := range l.steps {
		counts[l.steps[i].kind()]++
	}
	text := counted(l.of, "step") + ":"
	for _, s := range []plan.Status{plan.Done, plan.Running, plan.Failed, plan.Skipped, plan.Superseded, plan.Pending} {
		if counts[s] > 0 {
			text += fmt.Sprintf(" %d %s,", counts[s], s)
		}
	}
	return text[:len(text)-1]
}

// heading is the line above the steps.
func (l *planList) heading(p *painter) string {
	done := 0
	for i := range l.steps {
		if l.steps[i].status == plan.Done {
			done++
		}
	}
	text := fmt.Sprintf("plan %s%s, version %d, %s, %d of %d done%s", l.where, l.id, l.version, l.phase, done, l.of, behindColon(l.about))
	text = clip(oneLine(text), p.width)
	switch l.phase {
	case plan.Finished:
		return p.ink.green(text)
	case plan.Broken:
		return p.ink.red(text)
	}
	return p.ink.bold(text)
}

// row is the line of a step.
func (s *planItem) row(p *painter, spin string, width int) string {
	mark := s.status.Mark()
	if s.status == plan.Running && spin != "" {
		mark = spin
	}
	text := "  " + mark + " " + pad(clip(oneLine(s.id), maxPathWidth), width)
	for _, part := range []string{doerInAttempt(s.agent, s.attempt), s.word()} {
		if part != "" {
			text += "  " + oneLine(part)
		}
	}
	text = clip(strings.TrimRight(text, " "), p.width)
	switch s.kind() {
	case plan.Done:
		return p.ink.green(text)
	case plan.Failed:
		return p.ink.red(text)
	case plan.Running:
		return p.ink.bold(text)
	}
	return p.ink.dim(text)
}

// word says how a step stands where its mark does not say it.
func (s *planItem) word() string {
	switch s.status {
	case plan.Pending, plan.Ready, plan.Running, plan.Done:
		if s.note == "" {
			return ""
		}
	}
	return string(s.status) + behindColon(s.note)
}
