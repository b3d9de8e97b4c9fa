package crash_test

import (
	"cmp"
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// line is what an agent asks for in a turn.
type line func(handoffs.Turn) []handoffs.Command

// cast makes a team of agents who each know their lines. The first one begins.
func (w *world) cast(p handoffs.Policy, ids []string, lines map[string]line) (*sheetGraph, error) {
	var team *handoffs.Team[Sheet]
	team, err := handoffs.NewTeam(w.crew(&team, p, ids, lines))
	if err != nil {
		return nil, err
	}
	return team.Compile(sheets, &graph.Config{RecursionLimit: -1})
}

// planned makes a team that works on plans.
func (w *world) planned(p handoffs.Policy, ids []string, lines map[string]line, plans plan.Config[Sheet]) (*sheetGraph, error) {
	var team *handoffs.Team[Sheet]
	made, err := plan.NewTeam(plan.TeamConfig[Sheet]{Team: w.crew(&team, p, ids, lines), Plan: plans})
	if err != nil {
		return nil, err
	}
	team = made.Team
	return made.Compile(sheets, &graph.Config{RecursionLimit: -1})
}

// crew is what a team is made of, which its agents ask for handoffs.
func (w *world) crew(team **handoffs.Team[Sheet], p handoffs.Policy, ids []string, lines map[string]line) handoffs.TeamConfig[Sheet] {
	p.Virtual = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cfg := handoffs.TeamConfig[Sheet]{Fields: sheetTeam.Handoffs, Policy: &p}
	for _, id := range ids {
		node := func(ctx context.Context, s Sheet) (sheetCmd, error) { return w.turn(ctx, *team, s, id, lines[id]) }
		cfg.Agents = append(cfg.Agents, handoffs.Agent[Sheet]{Profile: handoffs.Profile{ID: id}, Node: node})
	}
	return cfg
}

// turn is an agent's, who delivers if there is nothing to ask for.
func (w *world) turn(ctx context.Context, team *handoffs.Team[Sheet], s Sheet, id string, asks line) (sheetCmd, error) {
	_, writes, err := w.act(ctx)
	if err != nil {
		return sheetCmd{}, err
	}
	turn := s.Team.Turn
	turn.Number = max(1, turn.Number)
	if q, ok := s.Team.PlanSteps.Get(turn.Step); ok {
		turn.Attempt = q.Attempt
	}
	commands := asks(turn)
	more, err := team.Emit(ctx, s, commands...)
	if err != nil {
		return sheetCmd{}, err
	}
	if len(commands) == 0 {
		receipt, err := w.once(ctx, "deliver")
		if err != nil {
			return sheetCmd{}, err
		}
		m := state.Text(state.RoleAI, receipt)
		m.Name = id
		more = append(more, sheetTeam.Handoffs.Messages.Add(m))
	}
	return sheet.Update(append(writes, more...)...), nil
}

// turns is what an agent asks for in one turn after the other; at last nothing.
func turns(list ...[]handoffs.Command) line {
	return func(t handoffs.Turn) []handoffs.Command {
		if t.Number > len(list) {
			return nil
		}
		return list[t.Number-1]
	}
}

// ask is one thing to ask for, for a minute's work.
func ask(kind handoffs.Kind, to string, set ...func(*handoffs.Command)) []handoffs.Command {
	c := handoffs.NewCommand(to, handoffs.Delegation, "for "+cmp.Or(to, string(kind)))
	c.Kind, c.Task, c.Usage = kind, "the task of "+to, handoffs.Usage{Tokens: 100, Calls: 1, Time: time.Minute}
	for _, f := range set {
		f(&c)
	}
	return []handoffs.Command{c}
}

func until(u handoffs.Until) func(*handoffs.Command) {
	return func(c *handoffs.Command) { c.Until = &u }
}

func gives(o handoffs.Outcome) func(*handoffs.Command) {
	return func(c *handoffs.Command) { c.Result = &o }
}

// chain hands from agent to agent, with waits for a time and for signals, and a
// target that fails once.
func (w *world) chain() (*sheetGraph, error) {
	quote := func(after time.Duration) handoffs.Scheduled {
		return handoffs.Scheduled{After: after, Signal: handoffs.Signal{Type: "quote"}}
	}
	p := handoffs.Policy{
		Limits: handoffs.Limits{Handoffs: 30},
		Script: []handoffs.Scheduled{quote(2 * time.Hour), quote(3 * time.Hour), quote(5 * time.Hour)},
		Edges:  []handoffs.Edge{{Name: "retried", To: []string{"analysis"}, Retry: &handoffs.Retry{Jitter: true}}, {Name: "rest"}},
	}
	wait := ask(handoffs.Wait, "", until(handoffs.Until{Signals: []string{"quote"}, Count: 3, For: 24 * time.Hour}))
	fails := ask(handoffs.Return, "", gives(handoffs.Outcome{Status: handoffs.Failed, Error: "no network", Retry: true}))
	fails[0].Actor = handoffs.BySystem
	return w.cast(p, []string{"orchestrator", "client", "search", "analysis", "mail"}, map[string]line{
		"orchestrator": turns(ask(handoffs.Transfer, "client")),
		"client":       turns(ask(handoffs.Wait, "", until(handoffs.Until{For: time.Hour})), ask(handoffs.Transfer, "search")),
		"search":       turns(wait, ask(handoffs.Transfer, "analysis")),
		"analysis": func(t handoffs.Turn) []handoffs.Command {
			if t.Attempt < 2 {
				return fails
			}
			return ask(handoffs.Transfer, "mail")
		},
		"mail": turns(),
	})
}

// spawn lets branches work side by side, two of them of one agent, of which one
// calls another agent, one hands over and one fails; and then some of which the
// first result is enough.
func (w *world) spawn() (*sheetGraph, error) {
	branches := func(j handoffs.Join) func(*handoffs.Command) {
		return func(c *handoffs.Command) {
			c.Join = j
			for _, b := range []string{"researcher", "researcher", "scout", "guide"} {
				c.Branches = append(c.Branches, handoffs.Branch{Target: b, Task: "look", Budget: handoffs.Limits{Tokens: 1000}})
			}
		}
	}
	gives := func(summary string) []handoffs.Command {
		return ask(handoffs.Return, "", gives(handoffs.Outcome{Text: summary, Outputs: map[string]any{"summary": summary}}))
	}
	return w.cast(handoffs.Policy{Limits: handoffs.Limits{Tokens: 20_000, Handoffs: 30}}, []string{"architect", "researcher", "scout", "guide", "helper", "judge"}, map[string]line{
		"architect": turns(ask(handoffs.Spawn, "", branches(handoffs.Join{Partial: true, Resolve: "agent:judge"})), ask(handoffs.Spawn, "", branches(handoffs.Join{Need: 1}))),
		"researcher": func(t handoffs.Turn) []handoffs.Command {
			if t.Number == 1 {
				return ask(handoffs.Call, "helper")
			}
			return gives("found by " + t.Branch)
		},
		"scout":  func(handoffs.Turn) []handoffs.Command { return ask(handoffs.Transfer, "guide") },
		"guide":  func(t handoffs.Turn) []handoffs.Command { return gives("known to " + t.From) },
		"helper": turns(), "judge": turns(),
	})
}

// calls calls one specialist after the other, and two at once; one calls others
// and one hands over within its call.
func (w *world) calls() (*sheetGraph, error) {
	return w.cast(handoffs.Policy{}, []string{"generalist", "test", "env", "deploy", "rollback"}, map[string]line{
		"generalist": turns(ask(handoffs.Call, "test"), append(ask(handoffs.Call, "deploy"), ask(handoffs.Call, "test")...)),
		"test":       turns(ask(handoffs.Call, "env"), ask(handoffs.Return, "", gives(handoffs.Outcome{Text: "42 pass", Value: int64(42)}))),
		"env":        turns(),
		"deploy":     turns(ask(handoffs.Transfer, "rollback")),
		"rollback":   turns(),
	})
}
