// Package graph runs graphs of nodes over a typed state.
//
// A node is a function: it gets a view of the state and returns a command,
// which says what to write and where to go. Edges say what runs behind what.
// The engine runs all nodes that are due at once, applies what they wrote in a
// fixed order, and goes on until nothing is due.
//
// # Usage
//
// Declare the state and its handles (see package state), the nodes, the edges:
//
//	type Ticket struct {
//		Text   string
//		Kind   string
//		Answer string
//	}
//
//	var (
//		Text   = state.NewValue("text", func(t *Ticket) *string { return &t.Text })
//		Kind   = state.NewValue("kind", func(t *Ticket) *string { return &t.Kind })
//		Answer = state.NewValue("answer", func(t *Ticket) *string { return &t.Answer })
//		schema = state.MustSchema(Text, Kind, Answer)
//		cmd    graph.Commands[Ticket]
//	)
//
//	func classify(ctx context.Context, t Ticket) (graph.Command[Ticket], error) {
//		if strings.Contains(t.Text, "invoice") {
//			return cmd.Goto("billing", Kind.Set("billing")), nil
//		}
//		return cmd.Goto("support", Kind.Set("support")), nil
//	}
//
//	func main() {
//		b := graph.New(schema)
//		b.AddNode("classify", classify, &graph.NodeConfig{Goto: []string{"billing", "support"}})
//		b.AddNode("billing", billing, nil)
//		b.AddNode("support", support, nil)
//		b.AddEdge(graph.Start, "classify")
//		g, err := b.Compile(nil)
//		if err != nil {
//			log.Fatal(err) // all problems of the graph, each with its place
//		}
//		out, err := g.Invoke(ctx, graph.Input(Text.Set("My invoice is wrong.")), nil)
//		…
//	}
//
// Builder declares, Builder.Compile checks everything at once and makes a
// Graph, and Graph.Invoke or Graph.Stream runs it. A Graph does not change and
// serves any number of runs at the same time.
//
// # Execution
//
// A run goes in supersteps. Step 0 applies the input; the edges and routers
// behind Start say what step 1 runs. Each step is:
//
//  1. All tasks that are due run, at once. A task is one execution of a node.
//     Every task sees the state as it was when the step began, none sees what
//     another one of its step does.
//  2. When all of them have succeeded their updates are applied, in task
//     order, and the state is the new one. If a task fails, or the updates do
//     not go together, none is applied.
//  3. What the tasks' edges, routers, gotos and sends name is due in the next
//     step. A node is due once, however many of them name it.
//
// The tasks of a step have an order: first the nodes that edges and gotos lead
// to, sorted by name, then the sends, in the order of the tasks that sent them
// and of the packets in their commands. This is the order in which updates are
// applied, and nothing else decides it: neither the order of declaration, nor
// which task ended first.
//
// A router on a conditional edge runs with the task that it follows. It sees
// the state at the step's start with that task's own writes, not those of its
// siblings. A node and its routers are one unit: if a router fails the task has
// failed, and the node's update is not applied.
//
// A run ends when nothing is due. A node without a way on ends its branch; End
// need not be named. Config.RecursionLimit bounds the supersteps: a run fails
// by it only if work is left, and three steps need a limit of three.
//
// # Commands
//
// Commands makes what nodes return. Update writes; Goto goes to a node, beside
// the edges that the node has: a goto does not replace them. Send starts tasks,
// All joins commands. Every target of a goto or a send must be declared where
// the node is added, in NodeConfig.Goto and NodeConfig.Send, so that the graph
// can be checked and drawn; a command that names another one fails its task
// with ErrUndeclared.
//
// # Joins and deferred nodes
//
// Two plain edges into one node run it whenever one of them is followed. In
// an uneven diamond that is twice. Builder.AddJoin makes a waiting edge: the
// node runs in the step after the last of the sources has run, and the wait
// begins anew. A wait that is half filled when nothing is due any more ends
// with the run.
//
// A node with NodeConfig.Defer waits until nothing else is due, in the whole
// graph; then all deferred nodes that were named run together. A deferred node
// that is sent to does not wait.
//
// # Sends
//
// A packet names a node and carries writes that are laid over the state for
// that one task, by the verbs of their handles: Append appends to the list that
// the task sees, Set and Replace replace. They are not part of the state, and
// what the task returns is applied to the state as it is. A local field, made
// by state.NewLocal, is for what is only sent.
//
// # Subgraphs
//
// AddSubgraph mounts a compiled graph as a node. Fields that both states have
// by one name are shared, Mount says more. The subgraph begins with the values
// that its host sees; what it changed comes back as the writes that were made,
// as the update of its host: a list gets the new items, a counter the
// difference. Steps and limits of a subgraph are its own; its tasks and errors
// carry its path, the names of the hosts.
//
// A node of a subgraph leaves it by ToParent, with a command of the parent's
// type. That command then counts as the host's, beside the host's own edges,
// and everything else that the subgraph changed is dropped. Where a node may
// lead to is declared by NodeConfig.Exit and checked where the subgraph is
// mounted.
//
// # Failure and cancellation
//
// Every error of a run is an *Error: it tells thread, subgraph, step, node and
// task and wraps the cause. A panic is a *PanicError with its stack. Result
// says how the run ended (Outcome), what the state was after the last step that
// was applied, and which nodes were left (Next).
//
// A failed attempt is repeated if the node has a RetryPolicy; then its error
// handler, if it has one, stands in. If the task has failed for good the
// contexts of its siblings end, with its error as context.Cause, and the run
// fails, with the error of the first failed task in task order; a sibling that
// returns or wraps its context's error was cancelled and is not taken for one
// that failed. Config.FinishSiblings lets siblings end by themselves.
//
// When the context of a run ends, so do those of its tasks. If all tasks of the
// step succeed nevertheless their updates are applied; what is due next is not
// begun. The error is ErrCancelled and wraps the cause.
//
// A node that goes on although its context has ended gets Config.Grace. Then
// it is left behind: the run returns, its error is also ErrLeftBehind and names
// the node. The goroutine of such a node cannot be stopped, but nothing that it
// does has an effect on any run. For nodes with a timeout the same holds for
// each attempt. Only a run with a context that can never end, as
// context.Background, waits for a task that is alone in its step for as long
// as that takes.
//
// # Threads
//
// With Config.Store every run has a thread, named by RunConfig.Thread, whose
// state outlives the run, and the process:
//
//	store, err := sqlite.Open(ctx, "threads.db", nil) // or checkpoint.NewMemory(nil)
//	…
//	g, err := b.Compile(&graph.Config{Store: store})
//	…
//	out, err := g.Invoke(ctx, graph.Input(Text.Set("Hello.")), &graph.RunConfig{Thread: "ada"})
//	out, err = g.Invoke(ctx, graph.Input(Text.Set("And then?")), &graph.RunConfig{Thread: "ada"})
//
// Invoke gives the thread new input; Resume goes on with what is left of it,
// after a failure, a crash, a limit, a pause. Behind the input and behind every
// step there is a checkpoint. While a step is at work the results of its
// finished tasks are kept beside it, so that they do not run again. Durability
// says when all this is written; docs/durability.md, what that means.
//
// A node asks people by Interrupt: the run pauses, and Resume brings the
// answer, tomorrow and in another process if need be. The node then runs again
// from its top; what must not be done twice goes into Once. LongTerm is memory
// that threads share.
//
// State tells where a thread stands, History where it stood, Diff what
// happened between. Fork begins anew from an old checkpoint, in the thread or
// in a new one; Update writes to the state in a node's name. A subgraph keeps a
// log of its own in the thread, which Snapshot.Tasks leads to.
//
// Builder.AddIndex keeps rows beside the log, in tables that plain SQL reads:
// made of the state before and after a step, stored with its checkpoint or not
// at all. They go with their thread.
//
// A thread has one writer at a time, in all processes: RunConfig.Busy. A run is
// ended in good order by RunConfig.Drain. Going on with a thread of another
// version of the graph: Config.Evolution.
//
// # Events and streams
//
// Graph.Stream yields every event of a run, subgraphs included, as an
// iterator. Leaving the loop cancels the run, and the loop is left when the
// run has ended: no goroutine remains, save those of nodes left behind. A slow
// reader slows the run; events are never dropped and never pile up. Emit adds
// events of the node's own; a Typed value has JSON lines of a type of its own.
//
// Values, Updates, Customs, Tasks and Debug are views of a stream. AppendLines
// and AppendDebugLines write events as JSON lines.
//
// # Concurrency
//
// Nodes, routers, error handlers, indexes and the functions of a Mount may be
// called by several goroutines at once, of one run and of many: what they
// share must be safe for that. What a run promises about order:
//
//   - The state after a step depends on the results of its tasks alone, not on
//     which of them came first. The same results give the same state and the
//     same next tasks.
//   - What a node did is visible to every node of later steps, without further
//     synchronisation, and so is its memory.
//   - Tasks of one step run in no promised order, and one after another if
//     Config.MaxConcurrency or NodeConfig.MaxConcurrency says so.
//   - The events of one task come in their order; a step's start comes before
//     its tasks, its commit after them. Events of tasks that run at once come in
//     any order, but sorted by Head.Pos two logs of runs that did the same are
//     equal.
//
// A view shares memory with the state: see package state for what a node must
// not do with it.
//
// # Testing
//
// RunConfig.CheckViews fails every node that changes its view of the state.
// Time in the engine is that of package time, so that retries, timeouts and
// grace periods can be tested with testing/synctest. A Graph is deterministic as far as its nodes are: with scripted
// nodes two runs have the same state and, sorted by Head.Pos, the same events.
//
// # Cost
//
// What a step costs depends on its tasks and on what they write, not on the
// size of the state or on how many steps came before, save for a Map, which
// is copied when it is changed. Tasks that are alone in their step need no
// further goroutine. Events are made only for runs with a stream; that of a
// step's commit holds a copy of the state's struct, which shares its lists and
// maps. A node with a Timeout runs on a goroutine of its own.
package graph
