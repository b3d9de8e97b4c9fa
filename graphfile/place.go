package graphfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/expression"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// within returns the place of a character of a text, counted in characters
// from 0. Where the text is not written on its line as it is, because of
// escapes or line breaks, it is the place of the whole text.
func (t *text) within(n *source.Node, offset int) source.Pos {
	rest := behind(t.file.Line(n.Pos.Line), n.Pos.Col-1)
	quote := 0
	if n.Quoted && rest != "" {
		rest, quote = rest[1:], 1
	}
	if !strings.HasPrefix(rest, n.Text) {
		return n.Pos
	}
	return source.Pos{Line: n.Pos.Line, Col: n.Pos.Col + quote + offset}
}

// behind returns a line without its first characters.
func behind(line string, cols int) string {
	for i := range line {
		if cols <= 0 {
			return line[i:]
		}
		cols--
	}
	return ""
}

// runes counts the characters of a text.
func runes(text string) int { return utf8.RuneCountInString(text) }

// text is the text of a file with the report of what is wrong in it.
type text struct {
	file     *source.File
	rep      *source.Report
	failures *int // expressions that were wrong, in all files
}

// mostFailures is how many wrong expressions are looked at. More than that
// would not be shown.
const mostFailures = 100

// value makes a value whose strings may hold expressions, and reports what is
// wrong with them.
func (t *text) value(n *source.Node, scope expression.Scope) (*expression.Value, bool) {
	if *t.failures > mostFailures {
		return nil, false
	}
	v, err := expression.CompileValue(n.Any(), scope)
	if err != nil {
		t.reportExpressions(n, err)
		return nil, false
	}
	return v, true
}

// condition makes a condition, and reports what is wrong with it. The words
// true and false need no quotes.
func (t *text) condition(n *source.Node, scope expression.Scope) (*expression.Condition, bool) {
	if *t.failures > mostFailures {
		return nil, false
	}
	if n.Kind != source.Bool && n.Kind != source.String {
		t.rep.Errorf(n.Pos, `"when": expected an expression, found %s`, n.Kind).Hint = `write it as text, as in when: n < 3`
		return nil, false
	}
	c, err := expression.CompileCondition(n.Text, scope)
	if err != nil {
		t.reportExpressions(n, err)
		return nil, false
	}
	return c, true
}

// reportExpressions reports the problems of the expressions in a value, each
// where it stands.
func (t *text) reportExpressions(n *source.Node, err error) {
	*t.failures++
	problems := expression.Problems(err)
	if len(problems) == 0 {
		t.rep.Errorf(n.Pos, "%s", plain(err))
	}
	for _, p := range problems {
		at := n
		if p.Path != "" {
			if found := locate(n, p.Path, ""); found != nil {
				at = found
			}
		}
		t.rep.Errorf(t.within(at, p.Offset), "%s", p.Message).Hint = p.Hint
	}
}

// locate finds the node that an expression error's path leads to.
func locate(n *source.Node, path, at string) *source.Node {
	if at == path {
		return n
	}
	if !strings.HasPrefix(path, at) {
		return nil
	}
	for i, item := range n.Items {
		if found := locate(item, path, fmt.Sprintf("%s[%d]", at, i)); found != nil {
			return found
		}
	}
	for _, e := range n.Entries {
		below := at + "." + e.Key
		switch {
		case !expression.Direct(e.Key):
			below = fmt.Sprintf("%s[%q]", at, e.Key)
		case at == "":
			below = e.Key
		}
		if found := locate(e.Value, path, below); found != nil {
			return found
		}
	}
	return nil
}

// place is a position as package graph carries it.
func (g *graphSpec) place(p source.Pos) graph.Place {
	return graph.Place{File: g.file.Name, Line: p.Line, Col: p.Col}
}

// reportProblems turns what package graph found into diagnostics.
func (g *graphSpec) reportProblems(problems []graph.Problem) {
	for _, p := range problems {
		at := source.Pos{Line: p.Place.Line, Col: p.Place.Col}
		if p.Place.File != g.file.Name {
			at = g.pos
		}
		if p.Warning {
			g.rep.Warnf(at, "%s", p.Message).Hint = p.Hint
		} else {
			g.rep.Errorf(at, "%s", p.Message).Hint = p.Hint
		}
	}
}

// reportCompile reports the error of a graph's Compile.
func (g *graphSpec) reportCompile(err error) {
	var wrong *graph.CompileError
	if errors.As(err, &wrong) {
		g.reportProblems(wrong.Problems)
		return
	}
	g.rep.Errorf(g.pos, "%v", err)
}
