// Package plan lets a team of agents work on a plan: steps with an agent or a
// capability, what they wait for, when they count as done, and what becomes of
// them if they fail.
//
// # Usage
//
// A plan is data. It comes with a run's input, from a function, from a graph
// file or from a model:
//
//	plan.Plan{Goal: "a report", Steps: []plan.Step{
//		{ID: "figures", Agent: "bc", Task: "the sales figures of ${year}"},
//		{ID: "contract", Capability: "search", Task: "find the contract"},
//		{ID: "report", Agent: "writer", DependsOn: []string{"figures", "contract"},
//			Task: "write it from ${steps.figures.text}", Accept: &plan.Accept{If: "len(result.text) > 100"}},
//	}}
//
// NewTeam couples agents, which are nodes as in package handoffs, with plans:
//
//	type State struct{ plan.State }
//
//	var (
//		fields = plan.FieldsOf(func(s *State) *plan.State { return &s.State })
//		schema = state.MustSchema(fields)
//	)
//
//	team, err := plan.NewTeam(plan.TeamConfig[State]{
//		Team: handoffs.TeamConfig[State]{Agents: agents},
//		Plan: plan.Config[State]{Fields: fields},
//	})
//	g, err := team.Compile(schema, &graph.Config{Store: store})
//	res, err := g.Invoke(ctx, graph.Input(fields.Plan.Set(p)), &graph.RunConfig{Thread: "t"})
//
// An agent reads its step from the State's Turn: Step, Task and Payload. What it
// says in its turn is the step's result, or what it returns by a
// handoffs.Return.
//
// # How a plan moves
//
// The node next_step is the only one that moves a plan. It looks at the steps
// whose work has ended, checks their results, and hands those that can begin to
// their agents: these handoffs have the reason plan_step and the step's id. A
// plan without dependencies is linear: one step behind the other, and the agent
// of the step has the conversation. A plan with dependencies is a graph: all
// steps that can begin do, in one superstep, called by the agent that has the
// conversation.
//
// Behind an agent the run goes on to process_handoff if the agent asks for a
// handoff, to next_step if there is more to the plan, else to complete. A step's
// work is that of its agent's frame with all that the agent calls: a handoff out
// and back is part of the step and leaves the plan where it is. An agent that
// hands its step over for good leaves an orphan, unless the edge says
// CompletesStep: see Config.OnOrphan.
//
// A step that fails is tried again as its Retry says; then its OnFailure holds:
// another agent, skipping it, a new version of the plan, the supervisor, or the
// end of the run with an error. Every way is bounded: each agent is tried once,
// the supervisor once, and new versions are counted.
//
// # New versions
//
// A Planner is asked for the first plan of a request, and for a new version when
// a step fails, when a plan stalls, or behind every round (Config.EveryRound).
// Steps that are done stay, under their ids, with their results; the others are
// replaced. A proposal that is not valid is given back once with all that is
// wrong. Config.Review lets a person approve, edit or reject a plan first. With
// Proposal.More steps stream in: each begins as soon as what it needs is there.
//
// # The user
//
// A user who chooses another agent in the middle suspends the plan with the
// frames that work for it: it goes on where it was when they come back
// (handoffs.Resume). handoffs.Policy.OnSwitch makes that AbandonWork, which gives
// the plan up, or BranchOff, where the chosen agent works beside it.
//
// # What is stored
//
// The plan as it was planned, once a version; a Progress for each step that has
// begun; the Course, which is small; and a log of Events, which only grows. All
// of it is in the commit of the step that changed it. A crash at any point goes
// on behind the last commit: a step that was accepted is never done again, and
// the cursor and the handoffs agree.
package plan
