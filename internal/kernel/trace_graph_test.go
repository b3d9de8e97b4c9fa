package kernel_test

import (
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/internal/kernel"
)

// graph makes the plan that the lines tell.
func (r *tracer) graph(lines []string) string {
	var names []string
	for _, line := range lines {
		for _, word := range strings.Fields(line) {
			if len(word) == 1 && word[0] >= 'a' && word[0] <= 'z' && !strings.Contains(strings.Join(names, ""), word) {
				names = append(names, word)
			}
		}
	}
	r.plan = kernel.NewPlan(names)
	r.plan.Print = "trace"
	for _, line := range lines {
		left, right, _ := strings.Cut(line, " -> ")
		words, to := strings.Fields(left), r.plan.Targets(strings.Fields(right))
		id, _ := r.plan.ID(words[len(words)-1])
		switch words[0] {
		case "limit":
			r.plan.Limit, _ = strconv.Atoi(words[1])
		case "defer":
			r.plan.Node(id).Defer = true
		case "goto":
			r.plan.Node(id).Goto = to
		case "send":
			r.plan.Node(id).Send = to
		case "join":
			var sources []int32
			for _, s := range r.plan.Targets(words[1:]) {
				sources = append(sources, s.ID)
			}
			r.plan.AddJoin(sources, to[0].ID)
		default:
			if words[0] == kernel.Start {
				id = kernel.StartNode
			}
			for _, t := range to {
				r.plan.Node(id).Next = append(r.plan.Node(id).Next, t.ID)
			}
		}
	}
	return "nodes " + strings.Join(r.plan.Names, " ")
}
