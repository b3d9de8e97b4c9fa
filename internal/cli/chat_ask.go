package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// inquiry asks the open questions of a thread one by one.
type inquiry struct {
	open    []graph.Question
	at      int
	now     asking
	problem string         // with the last answer
	posed   bool           // the question at hand was shown
	answers map[string]any // by ids
	edits   []callEdit
}

// asking is a question that lines answer.
type asking interface {
	// next is what is shown before a line is read.
	next() string
	// take takes a line and reports whether the answer is whole. What is wrong
	// with the line is an error, and then it does not count.
	take(line string) (whole bool, err error)
	// answer is the whole answer.
	answer() any
}

func newInquiry(open []graph.Question) *inquiry {
	q := &inquiry{open: slices.Clone(open), answers: map[string]any{}}
	q.now = askingOf(&q.open[0])
	return q
}

// askingOf chooses how a question is asked.
func askingOf(q *graph.Question) asking {
	m, _ := q.Value.(map[string]any)
	if m == nil {
		return &plainAsking{}
	}
	_, handoff := m["handoffId"]
	if q.Node == handoffs.NodeProcess && handoff {
		return &rulingAsking{words: rulingWords(m["choices"]), check: checkRuling, edit: editOffer}
	}
	if _, ok := planQuestion(q); ok && q.Node == plan.NodePlanner {
		return &rulingAsking{words: []string{"approve", "edit", "reject"}, edit: editPlan}
	}
	if r, ok := newReviewAsking(m); ok {
		return r
	}
	if c, ok := newChoiceAsking(m); ok {
		return c
	}
	if f, ok := newFormAsking(m); ok {
		return f
	}
	_, form := m["form"]
	return &plainAsking{text: m["type"] == "question" && !form, spare: spareText(m)}
}

// spareText is the answer that stands for an empty one, as people read it; "":
// there is none.
func spareText(m map[string]any) string {
	if v, ok := m["default"]; ok && m["type"] == "question" {
		return valueText(v)
	}
	return ""
}

// pose is what is shown before the next line is read: who asks what, once, and
// what is wanted now.
func (q *inquiry) pose(k ink) string {
	one := &q.open[q.at]
	var b strings.Builder
	if q.problem != "" {
		b.WriteString(k.yellow("that cannot be used:") + " " + spoken(q.problem) + "\n")
		q.problem = ""
	}
	if !q.posed {
		q.posed = true
		if problem := problemOf(one); problem != "" {
			b.WriteString(k.yellow("that cannot be used:") + " " + spoken(problem) + "\n")
		}
		b.WriteString(k.yellow(oneLine(nodePath(one.NS, one.Node))+" asks:") + " " + spoken(askedText(one)) + "\n")
	}
	if text := q.now.next(); text != "" {
		b.WriteString(spoken(text) + "\n")
	}
	return b.String()
}

// problemOf is what was wrong with the last answer to a question; "": nothing.
func problemOf(q *graph.Question) string {
	m, _ := q.Value.(map[string]any)
	text, _ := m["problem"].(string)
	return text
}

// askedText is a question as people read it, on as many lines as it has.
func askedText(q *graph.Question) string {
	if m, ok := q.Value.(map[string]any); ok {
		if m["action_requests"] != nil {
			return "may this be done?"
		}
		for _, key := range []string{"text", "question", "message"} {
			if text, ok := m[key].(string); ok && text != "" {
				return text
			}
		}
	}
	return questionText(q)
}

// take takes a line for the question at hand, and reports whether all are
// answered.
func (q *inquiry) take(line string) bool {
	whole, err := q.now.take(line)
	if err != nil {
		q.problem = err.Error()
		return false
	}
	if !whole {
		return false
	}
	q.answers[q.open[q.at].ID] = q.now.answer()
	if r, ok := q.now.(*reviewAsking); ok {
		q.edits = append(q.edits, r.edits...)
	}
	if q.at++; q.at == len(q.open) {
		return true
	}
	q.now, q.posed = askingOf(&q.open[q.at]), false
	return false
}

// answer takes a line that answers what the thread asks, and goes on with it
// when all is answered.
func (c *chat) answer(ctx context.Context, line string) error {
	if !c.asked.take(line) {
		return nil
	}
	for _, e := range c.asked.edits {
		c.show.edited(e.name, e.before, e.after)
	}
	return c.resume(ctx, graph.AnswerByID(c.asked.answers))
}
