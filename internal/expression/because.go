package expression

import (
	"strings"

	"github.com/expr-lang/expr/ast"
)

// The bounds of an explanation: how many values it names, and how long each
// may be, in characters.
const (
	mostTerms = 8
	mostShown = 60
)

// term is a part of a condition whose value people want to know.
type term struct {
	text    string
	program *program
}

// termsOf finds the parts of a condition that it compares or that are true or
// false themselves, in their order, each once. Constants are left out.
func termsOf(text string, s Scope) []term {
	node, problem := parse(text, s)
	if problem != nil {
		return nil
	}
	var out []term
	seen := map[string]bool{}
	leaves(node, func(leaf ast.Node) {
		c := &compiler{scope: s, shared: map[ast.Node]*sharing{}}
		root := c.compile(leaf)
		name := leaf.String()
		if len(c.problems) > 0 || !c.variable || seen[name] || len(out) == mostTerms {
			return
		}
		seen[name] = true
		out = append(out, term{shortened(name), &program{root: root.run, locals: c.slots, kind: root.kind}})
	})
	return out
}

// leaves calls visit for the operands of comparisons, and for the parts of
// && || and ! that compare nothing.
func leaves(node ast.Node, visit func(ast.Node)) {
	switch n := node.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			leaves(n.Node, visit)
			return
		}
	case *ast.BinaryNode:
		if joins(n.Operator) {
			leaves(n.Left, visit)
			leaves(n.Right, visit)
			return
		}
	}
	visit(node)
}

// joins says whether an operator's operands are looked at one by one.
func joins(operator string) bool {
	switch operator {
	case "&&", "and", "||", "or", "==", "!=", "<", "<=", ">", ">=",
		"in", "contains", "startsWith", "endsWith", "matches":
		return true
	}
	return false
}

// Explainer tells the values that a condition looks at. It is immutable and
// may be used by many goroutines at once.
type Explainer struct{ terms []term }

// Explainer makes the condition's explainer.
func (c *Condition) Explainer() *Explainer { return &Explainer{termsOf(c.text, c.scope)} }

// Because tells the values, as in `len(quotes) = 3, topic = "ops"`. What has
// none in the Env is left out.
func (e *Explainer) Because(env Env) string {
	var out []string
	for _, t := range e.terms {
		f := newFrame(env)
		value, err := t.program.in(f)
		if err != nil {
			continue
		}
		text, err := encode(&f.budget, value, "")
		if err != nil {
			continue
		}
		out = append(out, t.text+" = "+shortened(text))
	}
	return strings.Join(out, ", ")
}

// shortened is a text without what is not shown.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > mostShown {
		return string(runes[:mostShown-1]) + "…"
	}
	return text
}
