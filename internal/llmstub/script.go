package llmstub

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Script is what a server answers. The zero Script answers nothing: every
// request is unexpected.
type Script struct {
	// Replies are tried in order; the first that fits and is not used up answers.
	Replies []Reply `yaml:"replies"`
	// Keep is how many requests are kept for Requests and Unexpected, the latest
	// ones. 0: all; negative: none.
	Keep int `yaml:"keep"`
}

// Reply is one answer of the model, and when it is given.
type Reply struct {
	When Match `yaml:"when"`
	// Times is how often the reply may be used. 0: once; negative: any number.
	Times int `yaml:"times"`

	// Text, Reasoning and Calls are what the model says. All may be empty.
	Text      string `yaml:"text"`
	Reasoning string `yaml:"reasoning"`
	Calls     []Call `yaml:"calls"`
	// Stop is why the model stopped. "": what fits. stop, tool_calls, length and
	// content_filter and their like on the other wire (end_turn, tool_use,
	// max_tokens, refusal) are put into the words of the wire that asked; any
	// other word is sent as it is.
	Stop  string `yaml:"stop"`
	Usage Usage  `yaml:"usage"`
	// Model is the model that answers. "": the one that was asked for.
	Model string `yaml:"model"`
	// ID is the id of the answer. "": chatcmpl-1 or msg_1, numbered over all
	// answers of the server.
	ID    string `yaml:"id"`
	Fault Fault  `yaml:"fault"`
}

// Call is one call of a tool.
type Call struct {
	// ID is the id of the call. "": call_N_I or toolu_N_I, N the number of the
	// answer and I the place of the call in it, from 0.
	ID   string `yaml:"id"`
	Name string `yaml:"name"`
	Args Args   `yaml:"args"`
}

// Args are the arguments of a call as the text that is sent, usually a JSON
// object. "": {}. In a file they are a text that is sent as it is, or a mapping
// that is sent as JSON with its keys sorted.
type Args string

// Usage is what an answer costs, in tokens. Input and Output that are 0 are
// counted from the texts, one token for four bytes; so is Reasoning.
type Usage struct {
	// Input is all that the model read, with what came from the cache or went
	// into it; Anthropic's input_tokens are Input less CacheRead and CacheWrite.
	Input int `yaml:"input"`
	// Output is all that the model wrote, with its reasoning.
	Output int `yaml:"output"`
	// CacheRead and CacheWrite are parts of Input. OpenAI does not tell CacheWrite.
	CacheRead  int `yaml:"cache_read"`
	CacheWrite int `yaml:"cache_write"`
	// Reasoning is a part of Output. Anthropic does not tell it.
	Reasoning int `yaml:"reasoning"`
}

// Match says which requests a reply is for. All that is set must hold; the zero
// Match fits every request.
type Match struct {
	// Model is the name of the model, equal.
	Model string `yaml:"model"`
	// System is contained in the system prompt.
	System string `yaml:"system"`
	// Last is contained in the text of the last message: a user's or the result
	// of a tool.
	Last string `yaml:"last"`
	// Tool is the name of a tool that is offered, equal.
	Tool string `yaml:"tool"`
	// Contains is contained in the body of the request as it came.
	Contains string `yaml:"contains"`
	// Call is which of the requests that fit all of the above, from 1. They are
	// counted whichever reply answered them. 0: any.
	Call int `yaml:"call"`
}

// Fault is what goes wrong with an answer. The zero Fault: nothing.
//
// Cut, End and ErrorAfter count the events of a stream, with the [DONE] of
// OpenAI. 0: it does not happen; negative: it happens before the first event. A
// number that the stream does not reach never happens. Without a stream, Cut
// sends half the body, or nothing at all if it is negative; End and ErrorAfter
// are for streams alone. An answer with Status or Body has no events.
type Fault struct {
	// Status is answered instead of the reply, with the usual error of the
	// provider. 0: none.
	Status int `yaml:"status"`
	// RetryAfter is the header Retry-After: seconds or a date. "": none.
	RetryAfter string `yaml:"retry_after"`
	// Header are more headers of the answer.
	Header map[string]string `yaml:"header"`
	// Body is sent as it is instead of the answer or the usual error. "": not.
	Body string `yaml:"body"`

	// Delay is waited before the first byte, Gap between events of a stream.
	Delay time.Duration `yaml:"delay"`
	Gap   time.Duration `yaml:"gap"`
	// Hang never answers: the request ends when the client goes away or the
	// server is closed.
	Hang bool `yaml:"hang"`

	// Cut closes the connection in the middle of the answer.
	Cut int `yaml:"cut"`
	// End ends the body cleanly, but too early.
	End int `yaml:"end"`
	// ErrorAfter sends an event that is an error and ends the body.
	ErrorAfter int `yaml:"error_after"`

	// WrongJSON makes the second event, or a body that is no stream, no JSON.
	WrongJSON bool `yaml:"wrong_json"`
	// ArgsTail is appended to the arguments of each call, so that they are no JSON.
	ArgsTail string `yaml:"args_tail"`
	// LongLine is a number of bytes, at most 64 MiB: so many x follow the text, in
	// one event.
	LongLine int `yaml:"long_line"`
	// EmptyChunks puts events between that say nothing: chunks without choices or
	// with an empty delta, pings and empty texts.
	EmptyChunks bool `yaml:"empty_chunks"`
	// Comments puts a line ": keep-alive" before each event.
	Comments bool `yaml:"comments"`
	// CRLF ends lines of a stream with both.
	CRLF bool `yaml:"crlf"`
	// NoUsage leaves out the usage.
	NoUsage bool `yaml:"no_usage"`
	// NoFinish leaves out why the model stopped; a stream still has its [DONE] or
	// message_stop.
	NoFinish bool `yaml:"no_finish"`

	// Interleaved sends the arguments of all calls by turns. These four are for
	// OpenAI alone.
	Interleaved bool `yaml:"interleaved"`
	// RepeatIDs sends id, type and name of a call with every piece of it.
	RepeatIDs bool `yaml:"repeat_ids"`
	// NoType sends calls without their type, NoIndex pieces without their index.
	NoType  bool `yaml:"no_type"`
	NoIndex bool `yaml:"no_index"`
}

// fits says whether all but Call holds.
func (m Match) fits(r *Request) bool {
	return (m.Model == "" || m.Model == r.Model) &&
		strings.Contains(r.System, m.System) &&
		strings.Contains(r.last(), m.Last) &&
		(m.Tool == "" || r.offers(m.Tool)) &&
		(m.Contains == "" || bytes.Contains(r.Body, []byte(m.Contains)))
}

// String tells the conditions for a message.
func (m Match) String() string {
	var parts []string
	say := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	say("model %q", m.Model)
	say("system contains %q", m.System)
	say("last contains %q", m.Last)
	say("tool %q", m.Tool)
	say("body contains %q", m.Contains)
	if m.Call != 0 {
		parts = append(parts, fmt.Sprintf("call %d", m.Call))
	}
	if len(parts) == 0 {
		return "any request"
	}
	return strings.Join(parts, ", ")
}
