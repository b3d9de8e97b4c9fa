// Package handoffs lets the agents of a graph hand work to one another:
// checked by rules, kept with the state, bounded.
//
// An agent is a node. It hands off by putting a Command into the state, as the
// input of a tool execution named __handoff__; an edge leads to the node
// process_handoff, which decides, writes what came of it, and sends the agent
// whose turn it is. All of it is ordinary graph: what a thread keeps, interrupts,
// resumes and forks keeps, interrupts, resumes and forks its handoffs.
//
// # Usage
//
// Embed State in the graph's state, and let a Team wire agents into a graph:
//
//	type Desk struct {
//		handoffs.State
//		Topic string `json:"topic"`
//	}
//
//	var (
//		fields = handoffs.FieldsOf(func(d *Desk) *handoffs.State { return &d.State })
//		topic  = state.NewValue("topic", func(d *Desk) *string { return &d.Topic })
//		schema = state.MustSchema(fields, topic)
//	)
//
//	team, err := handoffs.NewTeam(handoffs.TeamConfig[Desk]{
//		Fields: fields,
//		Policy: &handoffs.Policy{Supervisor: "front", Limits: handoffs.Limits{Handoffs: 12}},
//		Agents: []handoffs.Agent[Desk]{
//			{Profile: handoffs.Profile{ID: "front"}, Node: front},
//			{Profile: handoffs.Profile{ID: "billing", Capabilities: []string{"refund"}}, Node: billing},
//		},
//	})
//	g, err := team.Compile(schema, &graph.Config{Store: store})
//
// A node asks for a handoff with Team.HandOff or Team.Emit:
//
//	func front(ctx context.Context, d Desk) (graph.Command[Desk], error) {
//		c := handoffs.NewCommand("", handoffs.CapabilityMatch, "it is about money")
//		c.Kind, c.Capability, c.Task = handoffs.Call, "refund", "give the money back"
//		return team.HandOff(ctx, d, c)
//	}
//
// and reads what it is to do from its view: d.Turn tells the task, the payload,
// who handed to it, and the results of what it had called.
//
// # Kinds
//
// A Transfer gives the work away: the source is done. A Call waits for the
// result: the target's Return, or what it said last when its turn ends without a
// handoff. A Transfer inside a call inherits the return address, so that the
// caller gets the result of whoever ended the work. A Spawn starts several
// agents side by side and waits for their Join. An Escalate goes to the next
// rung of Policy.Ladder. Resume goes on with what a user's switch set aside.
// Calls in one turn with a transfer are made first, and the transfer carries
// their results. Of several transfers the first one counts.
//
// An agent's stay is a Frame. Frames are part of the state, so a call survives
// the user's next message, a crash, and another process. Who owns the
// conversation (Desk.Owner, whom the next message goes to) and who is at work
// (Desk.Active) are two things. What a turn emits that was cancelled meanwhile is
// stale and has no effect.
//
// # Decisions
//
// Every handoff passes the checks of Policy.Checks, pure functions in an order
// that is a value. All that fail are in the decision, the first one decides.
// Codes are stable, and errors.Is finds them in the error of a run:
// errors.Is(err, handoffs.CodeLoop). What becomes of a handoff that is not
// accepted says Policy.OnReject by code; by default the supervisor takes over,
// with a message, and without one the source goes on and is told (Turn.Refused).
//
// LoopRules find circles early. Limits prove that a run ends: of those of the
// run, its economic class, the edge and the frame the least one wins. A
// BreakerPolicy stops handoffs to what keeps failing, in the thread or, with
// TeamConfig.Breakers, in all that share them. An ApprovalPolicy asks a
// person, by an interrupt of the run. A QueuePolicy orders what waits for a busy
// target. Rules and a Machine hold handoffs as data: who hands to whom when, in
// which state of a workflow. Lint tells what is wrong with them before they run.
//
// # The log
//
// What happens to a handoff is an Entry of the state's log, written in the same
// step as the decision, and never changed. History, Last, Count, Pending,
// Statistics and the messages of a bus are views of it; IndexRows puts it into
// the table agent_handoffs of stores with SQL. A thread is a session: no view
// sees another one's log.
//
// # Time
//
// The core reads no clock: process_handoff gives it the time. With
// Policy.Virtual the clock is virtual: it moves by what turns say they took and
// by what agents wait for, and two runs do the same.
//
// # Concurrency
//
// Managers, teams, registries and policies do not change once they are made and
// serve any number of runs at once. Functions in a Policy must be pure and may be
// called by several goroutines. Of one session only one step of process_handoff
// is at work at a time, as the graph has it.
package handoffs
