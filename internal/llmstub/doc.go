// Package llmstub is a server that speaks as the servers of language models do,
// for tests: chat completions of OpenAI and messages of Anthropic, streamed and
// whole, over real sockets. It says what a script says, goes wrong as the script
// says, and refuses what the real servers refuse.
//
//	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{
//		{When: llmstub.Match{Last: "weather"}, Calls: []llmstub.Call{{Name: "look", Args: `{"city":"Oslo"}`}}},
//		{When: llmstub.Match{Tool: "look"}, Text: "It rains.", Fault: llmstub.Fault{Gap: time.Millisecond}},
//	}})
//	defer srv.Close()
//	client.BaseURL = srv.URL() + "/v1"
//
// # Replies
//
// The first reply that fits a request and is not used up answers it, on either
// wire. A reply is used once unless Times says otherwise, so replies without a
// Match are a conversation, one after another. Ids are numbered and times fixed:
// the same requests in the same order get the same bytes. At the end a test asks
//
//	require.Empty(t, srv.Unexpected()) // requests that no reply fitted; they got status 500
//	require.Empty(t, srv.Unused())     // replies that nobody needed
//
// and looks at Requests for what was sent. Texts are streamed word by word,
// arguments of calls eight characters at a time.
//
// # Files
//
// ParseScript reads the same from YAML or JSON:
//
//	replies:
//	  - when: {model: gpt-5, last: weather, call: 1}
//	    fault: {status: 429, retry_after: "2"}
//	  - when: {last: weather}
//	    times: -1                    # any number of times
//	    reasoning: A tool knows.
//	    calls:
//	      - {name: look, args: {city: Oslo}}
//	    usage: {input: 120, cache_read: 100, output: 9}
//	  - text: It rains.
//	    fault: {delay: 20ms, cut: 3}
//
// # What it serves
//
//   - POST /v1/chat/completions, OpenAI. Usage is streamed only to those that ask
//     with stream_options.include_usage, in a last chunk without choices.
//     Reasoning goes as reasoning_content, as compatible servers do it.
//   - POST /v1/messages, Anthropic. Thinking is signed; a block that comes back
//     with a changed text and a signature of this server is refused. Signatures
//     of others are taken as they are.
//   - GET /v1/models, the models that the script names.
//
// All of them are there without /v1 too. Any key passes; the key "bad" is
// refused with status 401.
//
// # What it refuses
//
// A request that the provider would not take gets status 400 and an error in the
// provider's words, uses up no reply, and has Request.Refused set: calls without
// results, results without calls or twice, messages with nothing in them, unknown
// roles, wrong names of tools, schemas that are not of an object, and what each
// provider wants besides (OpenAI: arguments as text, properties in each schema,
// tool_choice only with tools; Anthropic: max_tokens, a user first, results
// first in their message, no whitespace at the end of what the assistant is to
// go on with).
package llmstub
