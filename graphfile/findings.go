package graphfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
)

// findings turns what is odd about a policy into diagnostics.
func (t *tree) findings(p *handoffs.Policy) {
	for _, f := range handoffs.Lint(p) {
		at, text := t.placeOf(f.Place), f.Message
		if len(f.Path) > 1 && !strings.Contains(text, strings.Join(f.Path, " -> ")) {
			text += ": " + strings.Join(f.Path, " -> ")
		}
		if f.Warning {
			t.rep.Warnf(at, "%s (%s)", text, f.Code)
		} else {
			t.rep.Errorf(at, "%s (%s)", text, f.Code)
		}
	}
}

// placeOf reads a place of this file; else it is that of the agents.
func (t *tree) placeOf(text string) source.Pos {
	rest, ok := strings.CutPrefix(text, t.file.Name+":")
	line, col, good := strings.Cut(rest, ":")
	if !ok || !good {
		return t.team.Pos
	}
	l, lineErr := strconv.Atoi(line)
	c, colErr := strconv.Atoi(col)
	if lineErr != nil || colErr != nil {
		return t.team.Pos
	}
	return source.Pos{Line: l, Col: c}
}

// meetings warns of agents side by side that may write one field which takes
// one writer.
func (t *tree) meetings(read *team.Team) {
	for _, m := range read.Meetings() {
		if f := t.fieldBy[m.Field]; f == nil || !f.last() {
			continue
		}
		who := fmt.Sprintf("%q and %q", m.First, m.Second)
		if m.First == m.Second {
			who = fmt.Sprintf("two branches of %q", m.First)
		}
		t.rep.Warnf(m.Pos, "%s may write %q in one step, which takes one writer", who, m.Field)
	}
}
