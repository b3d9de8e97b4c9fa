package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// canAsk reports whether somebody can be asked what the run wants to know.
func (r *runner) canAsk(ctx context.Context, sum *summary) bool {
	return sum.status == graph.OutcomeInterrupted && len(sum.asks) > 0 && ctx.Err() == nil &&
		r.ask.value == "auto" && r.output.value == "text" && !r.quiet && !r.stdinUsed &&
		r.Terminal.Stdin && r.Terminal.Stderr
}

// askAll asks questions on the terminal until one is left unanswered. It
// returns the answers by the ids of the questions, nil if there are none.
func (r *runner) askAll(ctx context.Context, open []graph.Question) map[string]any {
	k := r.inkFor(r.Terminal.Stderr)
	var answers map[string]any
	for i, q := range open {
		fmt.Fprintf(r.Stderr, "%s %s\n", k.yellow(nodePath(q.NS, q.Node)+" asks:"), visible(questionText(&q)))
		if i == 0 {
			fmt.Fprintln(r.Stderr, k.dim("type an answer, a text or JSON; nothing leaves the run paused"))
		}
		fmt.Fprint(r.Stderr, k.bold("> "))
		line, err := r.lines.next(ctx, r.Stdin)
		if err != nil {
			fmt.Fprintln(r.Stderr)
			break
		}
		if strings.TrimSpace(line) == "" {
			break
		}
		if answers == nil {
			answers = map[string]any{}
		}
		answers[q.ID] = typedAnswer(line)
	}
	if ctx.Err() != nil {
		return nil
	}
	return answers
}

// typedAnswer is what a line means: the JSON value that it is, else the text.
func typedAnswer(line string) any {
	line = strings.TrimSpace(line)
	if v, err := state.ParseAny([]byte(line)); err == nil {
		return v
	}
	return line
}

// visible is a text of several lines without what would move the cursor.
func visible(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, oneLine(line))
	}
	return strings.Join(lines, "\n")
}
