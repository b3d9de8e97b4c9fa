package page

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
)

// Value makes a value whose strings may hold expressions, and reports what is
// wrong with them.
func (p *Page) Value(n *source.Node, scope expression.Scope) (*expression.Value, bool) {
	if *p.Failures > MostFailures {
		return nil, false
	}
	v, err := expression.CompileValue(n.Any(), scope)
	if err != nil {
		p.reportExpressions(n, err)
		return nil, false
	}
	return v, true
}

// Condition makes a condition, and reports what is wrong with it. The words
// true and false need no quotes.
func (p *Page) Condition(n *source.Node, scope expression.Scope) (*expression.Condition, bool) {
	if *p.Failures > MostFailures {
		return nil, false
	}
	if n.Kind != source.Bool && n.Kind != source.String {
		p.Rep.Errorf(n.Pos, `"when": expected an expression, found %s`, n.Kind).Hint = `write it as text, as in when: n < 3`
		return nil, false
	}
	c, err := expression.CompileCondition(n.Text, scope)
	if err != nil {
		p.reportExpressions(n, err)
		return nil, false
	}
	return c, true
}

// reportExpressions reports the problems of the expressions in a value, each
// where it stands.
func (p *Page) reportExpressions(n *source.Node, err error) {
	*p.Failures++
	problems := expression.Problems(err)
	if len(problems) == 0 {
		p.Rep.Errorf(n.Pos, "%s", Plain(err))
	}
	for _, problem := range problems {
		at := n
		if problem.Path != "" {
			if found := locate(n, problem.Path, ""); found != nil {
				at = found
			}
		}
		p.Rep.Errorf(p.Within(at, problem.Offset), "%s", problem.Message).Hint = problem.Hint
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
