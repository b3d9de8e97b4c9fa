// Package graphfile makes graphs of files: YAML 1.2 or JSON that declares a
// state, nodes that are scripted, edges and subgraphs. A graph file becomes a
// graph over state.Record, checked and compiled, that runs like a graph that
// was built in Go; nodes written in Go may stand beside those in the file.
//
// # A file
//
//	name: support
//	state:
//	  log:   {reduce: append}
//	  n:     {type: int, reduce: sum}
//	  topic: {type: string}
//	  items: {reduce: append}
//	nodes:
//	  triage:
//	    update: {log: [triage]}
//	    send: {to: worker, each: "${items}", input: {item: "${it}"}}
//	  worker:
//	    update: {log: ["worker:${item}"], n: 1}
//	  review:
//	    cases:
//	      - {when: n > 3, update: {topic: large}, goto: publish}
//	      - {update: {topic: small}}
//	  publish:
//	    update: {log: [publish]}
//	edges:
//	  - START -> triage
//	  - worker -> review
//
// # State
//
// The section state names the fields. The key reduce says how writes are put
// together: last (the default), append, sum, merge, messages, max, min or
// union; type is any (the default), string, int, float, bool, list or map, and
// of fields that hold lists or maps it is the type of what is in them; default
// is the value before anything is written. A field of the reducer last, max or
// min has no value until it is written, and is null in expressions.
//
// # Nodes
//
// A scripted node does, in this order:
//
//   - sleep: waits for a duration;
//   - fail: {error, attempts}: fails, only in the first attempts if they are
//     given;
//   - interrupt: {value, into}, or a list of them: asks, and goes on when it is
//     answered; the answer has the name of into;
//   - update: writes fields; goto: goes to a node or a list of them; send:
//     {to, each, input}, or a list of them, starts tasks of a node, each with
//     the input laid over its state;
//   - cases: a list of the same keys with when. The first case that holds is
//     used, and one without when always holds.
//
// Attempts are counted with the thread, over resumes and processes. A graph that
// asks, or pauses by interrupt_before or interrupt_after, needs a store:
// File.Graph().On(store, nil).
//
// A node with neither goto nor send follows its edges; goto and send come in
// addition to them. What a node and its case update is one update: a field of
// the reducer last takes the value of the case, sums add up, lists are joined,
// maps are merged. With parent: true, update, goto and send are for the graph
// around this one, and this graph ends: what stands beside cases without it is
// dropped when a case with it is chosen. Beside cases it holds for all of them.
//
// Every node may have retry: {max_attempts, initial_interval, backoff,
// max_interval, jitter}, a timeout for each attempt, and defer: true, which
// makes it run when nothing else is due. An expression that fails is not tried
// again.
//
// A node with graph runs a subgraph, which is written inline or, as {file:
// path}, in a file of its own. Fields of the same name are shared, and must be
// declared alike. What is sent to a subgraph reaches the fields of its own
// state too.
//
// # Edges
//
// An edge is "A -> B", also in chains like "A -> B -> C"; {from: A, to: B};
// {from: [A, B], to: C}, which waits for both; or {from: A, cases: [{when,
// to}]}, which follows the first case that holds, and ends the branch if none
// does. Where one node is named to go to, a list of them may stand.
//
// # Expressions
//
// Texts may hold ${expressions}. A text that is one ${…} alone has the value
// and the type of the expression. The key when holds a bare expression. Names
// are the fields, the keys of the inputs that are sent to a node, it inside
// each, and what into bound. A name that not every way to a node gives is null
// there if it was not given. Expressions are checked against the types of all
// names when the file is loaded. Conditions of edges know the fields only.
//
// # Problems
//
// Load and Parse tell all problems of a file in one go, each with its place
// and its line. What is odd but not wrong is in Warnings. Files are bounded in
// size and in what they may unfold to, so that files of strangers can be read.
package graphfile
