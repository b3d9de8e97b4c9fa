package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

const resumeHelp = `Go on with a thread: with an answer to what it asks, or without one behind a
pause, a failure, a limit, a stop or a fork. What is done is not done again.

--answer is JSON, null included; a text stands in its quotes: '"yes"'. An
object whose keys are all ids of open questions answers these, the others stay
open; any other value answers the one question that is open. Without --answer
a thread that waits for one asks again, and nothing runs.

--at makes a fork of a checkpoint the newest and goes on from there; all tasks
that were due there run again, and ask again. With --answer that is the answer
to the first question that is asked. Where nothing is left to do that is said.

` + outputHelp

const resumeExamples = `  graphrun resume support.yaml --thread ada --answer '"yes"'
  graphrun resume support.yaml --thread ada --answer '{"4.0:1": "yes", "4.1:1": null}'
  graphrun resume support.yaml --thread ada
  graphrun resume support.yaml --thread ada --at 3`

// resumer is the command resume.
type resumer struct {
	*runner
	answer string
}

func (a *app) resumeCommand() *cobra.Command {
	r := &resumer{runner: newRunner(a)}
	cmd := &cobra.Command{
		Use: "resume FILE", Short: "Go on with a thread", Long: resumeHelp + meansHelp + stopHelp + exitHelp, Example: resumeExamples, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return r.resume(cmd, args[0]) },
	}
	r.declare(cmd, "id of the thread")
	cmd.Flags().StringVarP(&r.answer, "answer", "a", "", "answer to what the thread asks: JSON, @FILE, or - for standard input")
	completeNothing(cmd, "answer")
	return cmd
}

func (r *resumer) resume(cmd *cobra.Command, file string) error {
	given := cmd.Flags().Changed("answer")
	if err := r.runner.check(cmd, true); err != nil {
		return err
	}
	if file == "-" && r.answer == "-" {
		return usage("standard input cannot be the graph file and the answer at once")
	}
	return r.with(cmd.Context(), file, changing, func(ctx context.Context, f *graphfile.File) error {
		from, err := r.graph.State(ctx, r.thread, r.at)
		if err != nil {
			return err
		}
		o := &order{at: r.at, from: from}
		if given {
			if o.answers, err = r.answers(ctx, from.Interrupts); err != nil {
				return err
			}
		}
		return r.drive(ctx, f, o)
	})
}

// answers makes of --answer what the open questions are answered with.
func (r *resumer) answers(ctx context.Context, open []graph.Question) (graph.Answers, error) {
	data, where, err := r.read(ctx, &feed{flag: "answer", text: r.answer, given: true, empty: `write null for no answer, '""' for an empty text`})
	if err != nil {
		return graph.Answers{}, err
	}
	value, err := state.ParseAny(data)
	if err != nil {
		return graph.Answers{}, usage("%s: %w", where, err)
	}
	if r.at != "" { // for what the tasks of the fork will ask
		return graph.Answer(value), nil
	}
	byID, isObject := value.(map[string]any)
	switch {
	case len(open) == 0:
		return graph.Answers{}, usage("thread %q asks nothing, so that there is nothing to be answered; resume without --answer goes on", r.thread)
	case isObject && answersAll(byID, open):
		return graph.AnswerByID(byID), nil
	case len(open) == 1:
		return graph.Answer(value), nil
	}
	return graph.Answers{}, usage("%d questions are open; answer by their ids: --answer %s\n%s", len(open), shellQuote(answerForm(open)), listOpen(open))
}

// answersAll reports whether all keys are ids of open questions.
func answersAll(byID map[string]any, open []graph.Question) bool {
	known := 0
	for _, q := range open {
		if _, ok := byID[q.ID]; ok {
			known++
		}
	}
	return known > 0 && known == len(byID)
}

// answerForm is an answer to all open questions, with JSON to be filled in.
func answerForm(open []graph.Question) string {
	if len(open) == 1 {
		return "JSON"
	}
	parts := make([]string, len(open))
	for i, q := range open {
		parts[i] = fmt.Sprintf("%s: JSON", quoted(q.ID))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// listOpen lists questions, one a line.
func listOpen(open []graph.Question) string {
	var lines []string
	for _, q := range open {
		lines = append(lines, "  "+q.ID+"  "+askText(&q))
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// askText says who asks what, on one line.
func askText(q *graph.Question) string {
	return nodePath(q.NS, q.Node) + ": " + oneLine(questionText(q))
}

// questionText is a question as a person reads it.
func questionText(q *graph.Question) string {
	if text, ok := teamQuestion(q); ok {
		return text
	}
	if text, ok := planQuestion(q); ok {
		return text
	}
	if text, ok := agentQuestion(q); ok {
		return text
	}
	return valueText(q.Value)
}

// valueText is a value as a person reads it: texts as they are, others as JSON.
func valueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := state.AppendAny(nil, v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
