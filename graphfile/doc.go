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
// # Agents
//
// A file may have agents instead of nodes, or beside them:
//
//	agents:
//	  triage:
//	    turns:
//	      - say: "I look at ${ticket}."
//	        handoff: {to: billing, kind: call, reason: delegation, task: "refund ${ticket}"}
//	      - when: turn.results[0].outcome.status == "failed"
//	        handoff: {to: boss, explanation: "${turn.results[0].outcome.error}"}
//	      - say: "Done: ${turn.results[0].outcome.text}"
//	  billing: {capabilities: [refunds], turns: [{tokens: 100, return: refunded}]}
//	  boss:    {system: true}
//	handoffs:
//	  supervisor: boss
//	  entry: triage
//	  limits: {handoffs: 10}
//
// The run begins with the agent that entry names, else with the supervisor, else
// with the first one, and ends when an agent ends its turn without handing its
// work on and nobody waits for it. The next run goes on with the agent that owns
// the conversation then. The state has the fields messages, active_agent,
// handoffs (where they stand), handoff_log and tool_executions by itself;
// messages may be declared too.
//
// An agent is a profile (name, icon, color, description, specialization,
// capabilities, examples, system, selectable, accepts, available, hidden,
// max_concurrent, external, conversational, max_iterations, weight, cost, grants,
// result), with retry and timeout as nodes have them, and a model or turns, what it
// does.
// A turn takes the first entry of turns that is for it. An entry with when is for
// every turn in which the condition holds; of the entries without, the first is
// for the agent's first turn of its stay, the second for its second, and the last
// one for all that follow. That none is for it is an error. An agent without
// turns ends each of them at once. What an entry says is done in this order:
//
//   - takes: a duration, which moves the virtual clock, or is waited where there
//     is none; tokens and calls: what the turn uses;
//   - fail: {error, attempts}: the turn fails, only in the first attempts of it or
//     of its handoff if they are given;
//   - interrupt: as in nodes;
//   - tool: {name, input, output or error}, or a list of them: ordinary tools, which
//     are added to the messages and the executions;
//   - say: a text or a list of them, messages of the agent;
//   - update: writes fields;
//   - handoff: {to or capability, kind (transfer, call, escalate), return_control,
//     needs, reason, explanation, intent, task, payload, priority, class, trigger,
//     trace, plan_step, state, budget}, or a list of them;
//   - spawn: {branches: [{to or capability, each, task, payload, name, budget}],
//     join: {need, partial, resolve, timeout}} with the other keys of a handoff;
//   - resume: the token of agents that were set aside;
//   - emit: a trigger of the rules, {trigger, payload, state}, or a list of them;
//   - wait: {signals, count, for};
//   - refuse: a reason, which gives the handoff back to who made it;
//   - return: a text, or {text, value, outputs, status, error, code, retryable,
//     missing, state}, what the agent was called for.
//
// The expressions of a script know agent, its name, and turn: number, attempt,
// from, handoff, frame, called, task, reason, intent, payload, results, signals,
// expired, refused, grants, step, branch, and messages, what the agent is given of
// the conversation. An agent that is named in an expression is looked up when the
// handoff is made, every other one when the file is read.
//
// # Models
//
// An agent may work with a model instead of turns:
//
//	models:
//	  fast:  {use: "openai:gpt-4o-mini", temperature: 0, max_tokens: 500}
//	  local: "ollama:llama3.2"
//	tools:
//	  weather:
//	    description: The weather of a city.
//	    args: {city: string, days: {type: int, optional: true}}
//	    exec: [./weather.sh, --json]
//	agents:
//	  guide:
//	    description: Plans trips.
//	    model: fast
//	    instructions: "You plan trips to ${city}. Your task: ${turn.task}"
//	    tools: [weather, ask_person]
//	    handoff: {kind: call}
//
// The section models names models: "provider:name", or a map of use, base_url,
// key_env, temperature, top_p, max_tokens, seed, stop, timeout (10m) and
// idle_timeout (2m), where 0 is none, retry, with the keys that it has in nodes and 4
// attempts by default, limit: {requests_per_minute, tokens_per_minute, concurrent},
// which all threads of a process share, and extra, fields of requests that only this
// provider knows. Providers are openai, anthropic and ollama. A key never stands in
// a file: it is the business of Options.Models, which makes the models, and which
// the command graphrun lets read the environment. Where a model may be named, a map
// or a text like "openai:gpt-4o" may stand as well.
//
// An agent with a model has
//
//   - instructions: a text over the fields, turn and agent, in front of the
//     conversation;
//   - tools: names of the section tools, of Options.Tools, or ask_person, by which
//     the model asks the user;
//   - output: {fields or schema, into}: the answer is JSON of this shape, and is
//     written into a field;
//   - limits: {model_calls (25), tool_calls, tokens, time, finish}: a turn that hits
//     one has failed, or with finish: true is asked once more, without tools;
//   - memory: {tokens, last, summary: true or {model, instructions, max_tokens}}: how
//     much of the conversation the model gets;
//   - handoff: {style (one or per_target), tool, when, kind (call or transfer),
//     announced (ask, route or answer), guidance, keep_voices, others (done, all,
//     work or answers), tries}: how it hands over and what it sees of others, which
//     otherwise is as package nodes has it;
//   - usage: a field that adds up, for the tokens; parallel: how many tools run at
//     once; one_call: at most one call an answer.
//
// A node may be such an agent by itself: agent: {model, messages, …}. Its
// conversation is the field that messages names, by default messages, which has the
// reducer messages; it hands to nobody, and its edges are followed.
//
// A planner and a judge of plans may be models too, planner: {model, instructions,
// stream} and judge: {model}, and so may be the router of handoffs by capability:
// router: {model, fallback}.
//
// # Tools
//
// The section tools has what models may call: {description, args or schema, exec or
// http, timeout (2m), max_output (64KB), env, approve, ends, strict, alone, grant}.
// args has the arguments key by key, {city: string, days: {type, optional, enum,
// items, description}}; schema is a JSON Schema of an object.
//
// exec is a program with its arguments, found from the directory of the file or in
// PATH, and run there. It gets the arguments of the model as JSON on its standard
// input, and of the environment HOME, PATH and what env names; what it writes is the
// result, and if it fails what it writes to standard error is. Behind timeout or
// max_output it is killed, with what it started.
//
// http is {url, method, headers, body}. In the path and query of url ${args.NAME}
// stands for an argument, escaped; headers know args and env, the variables that env
// names; body is a text, or a value that is sent as JSON, over args. A POST, PUT or
// PATCH without a body sends the arguments. Only redirections on the same host are
// followed.
//
// Neither is done unless Options.Allow allows it: a file cannot allow itself
// anything. Values of variables that a tool was given are taken out of all that it
// tells. Models and tools of a graph are known in its subgraphs.
//
// # Handoffs, rules, workflow
//
// The section handoffs is the policy: preset (prd040, stored, protocol, rules or
// specialist) is the one to begin with, the other keys say what is different. It
// has name, supervisor, entry, checks and user_checks (names, in order), limits,
// classes, class, per_message, loops, breaker, depth, misses, most_payload, count_returns,
// accept_timeout, router, queue, approve, ladder, ladder_asks, ladder_time,
// on_reject and on_failure (source, escalate, interrupt, degrade, fail, end or
// {route: AGENT}), on_multiple, on_switch, on_siblings, context, need, volatile,
// disabled, degrade, upper, keep_active, redact, texts, edges, which are "a -> b" or
// maps; progress, a value that changes when the work gets on; block, which lets
// the run itself wait for times; clock, the start of a virtual clock, and signals,
// what comes by it. Package handoffs says what all this means. Without limits a
// run may make 20 handoffs, and 10 000 supersteps if there is no recursion_limit.
//
// The section rules says who hands to whom when something happens: {name, from,
// to or capability, on, when, next, again, kind, reason, explanation, task,
// priority, urgency, payload, order, group, limits, retry, context, approval,
// on_reject}. The section workflow is the state machine that they move: {start,
// final, failed, states: {STATE: AGENT}, transitions: {STATE: [STATE]}}.
// Conditions of edges, rules and approvals know the fields, payload, task, reason,
// source and target, those of rules trigger too.
//
// # Plans
//
// The section plan has the steps that a run begins with, unless its input brings
// a plan: {id, goal, order (linear or graph), more, steps, review (first, later or
// both), replans, stalls, parallel, every_round, on_failure, on_orphan, planner, judge}. A
// step is {id, agent or capability, task, input, depends_on, accept: {if, schema},
// retry: {max, initial, factor, most}, timeout, on_failure: {do, to}}, where do is
// one of reassign, skip, skip_branch, replan, escalate and stop. Package plan says
// what all this means. The texts of a step know the fields, goal and steps, the
// results of others, and accept knows result too. A planner is a list of proposals,
// {when, steps, goal, order, more, ledger} or {when, answer}: the first whose
// condition over cause, goal, steps and replans holds is taken, or that has none
// and is for this time of asking. The state has the fields plan, plan_steps,
// plan_course and plan_log by itself, which no script writes.
//
// # Nodes beside agents
//
// Nodes may stand beside agents. An edge to agents leads to whoever's turn it is,
// one from agents begins where their work is done; without an edge to agents the
// run begins with them. Edges, gotos and sends to single agents are errors.
// A subgraph may have agents of its own: of what they keep only the messages are
// shared with a graph around that has agents too.
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
// A file that is right and cannot be run as things stand, for want of a key or of a
// permission, is a NotReady.
package graphfile
