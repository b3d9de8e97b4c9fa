package plan

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

const judgeRules = `You watch a team of agents at work on a plan. Say whether the goal is reached already, whether the team does the same things again and again, and whether there is progress. Give a reason in one sentence. If you have learned something about the task, give the whole new ledger of facts.
Answer with one JSON object that fits the schema, and nothing else.`

// ModelJudge is a Judge that asks a model for JSON: the progress ledger of a
// team. An answer that does not fit is asked for once more, with what is wrong.
func ModelJudge(ask Ask) Judge {
	return func(ctx context.Context, r *Request) (*Assessment, error) {
		var b strings.Builder
		b.WriteString("Goal: " + r.Goal + "\n")
		writeLedger(&b, r.Ledger)
		writePlan(&b, r.Plan)
		p := Prompt{System: judgeRules, User: b.String(), Schema: assessmentSchema()}
		for attempt := 1; ; attempt++ {
			text, err := ask(ctx, p)
			if err != nil {
				return nil, err
			}
			var a Assessment
			err = readAnswer(text, p.Schema, &a)
			var ps *Problems
			if err == nil || attempt == 2 || !errors.As(err, &ps) {
				return &a, err
			}
			p.User = b.String() + "\nYour last answer cannot be used:\n" + text + "\nWhat is wrong with it:\n- " + strings.Join(ps.texts(), "\n- ") + "\n"
		}
	}
}

func assessmentSchema() json.RawMessage {
	text, yes := object{"type": "string"}, object{"type": "boolean"}
	list := object{"type": "array", "items": text}
	all := shut(object{
		"satisfied": yes, "in_loop": yes, "progressing": yes, "reason": text,
		"ledger": shut(object{"facts": list, "lookup": list, "derive": list, "guesses": list}),
	})
	all["required"] = []any{"satisfied", "in_loop", "progressing"}
	return encode(all)
}
