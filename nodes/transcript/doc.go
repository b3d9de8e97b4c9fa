// Package transcript makes of a conversation what a model may be sent.
//
// A conversation of several agents is kept as it was: with calls that were
// never answered, answers that came late or twice, turns of agents on other
// models. Providers refuse such a request as a whole. Project makes of the
// conversation a projection that the provider takes, always, and tells each
// repair; the conversation is not changed.
//
//	sent, repairs := transcript.Project(s.Messages, transcript.Anthropic())
//
// What a provider needs says a Profile. Six are ready: OpenAI, Responses,
// Anthropic, Bedrock, Gemini and Compatible. The zero Profile is the strictest: what it takes, they
// all take, but for reasoning, which nobody gets without being named.
//
// # What holds of a projection
//
//   - Each call has one result, in the tool messages directly behind the message
//     with the call; a tool message answers such a call. Tool messages in a row
//     are one turn: a client whose provider wants the results of a turn in one
//     message joins them, and a human message behind them too.
//   - Roles, first and last message, names, ids, arguments and parts are as the
//     Profile needs them.
//   - A reasoning part goes only to the provider that signed it, in a message
//     with a call, at the message's front.
//   - The last human message that says something is in it.
//
// A conversation for which all of this holds already is left alone, to the byte,
// so that a projection of a projection is the same one. Check tells whether it
// holds, and shares no code with Project.
//
// # Which result is whose
//
// A result answers the oldest call before it that has its id and has no result
// yet. An id that comes again behind a human message is a new call: the old one
// has no result then. A result before its call answers nothing.
//
// # Several agents
//
// A View says who is asked. It can turn what other agents said into human
// messages, and closes a projection that ends in the result of a handoff with
// the task's brief: a result that tells of the handoff alone asks for nothing,
// and models answer it with silence.
//
// # What is left to the client
//
// The size of a request; servers that want an AI message between a result and a
// human message; whether a request may ask for reasoning if a call in it came
// without: such calls are sent as they are.
package transcript
