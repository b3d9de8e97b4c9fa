// Package langchain makes a model.Model of any model of langchaingo.
//
//	llm, err := openai.New(openai.WithToken(key), openai.WithModel("gpt-4.1"))
//	…
//	m, err := langchain.New(langchain.Config{Model: llm, Name: "gpt-4.1", Secrets: []string{key}})
//
// For OpenAI, everything with OpenAI's wire form, and Anthropic the packages
// openai and anthropic do more: they stream calls, send every parameter and know
// how long a provider asks to wait. This package is for programs that have models
// of langchaingo already, and for providers that only langchaingo has.
//
// # What is mended
//
// The clients of langchaingo lose, join and split what they send and receive, each
// in its own way. Here a conversation is sent in the form in which the client of
// its Kind loses nothing, and all that comes back is one answer whose usage is
// counted once. What a client would drop without a word is refused before it is
// sent, as model.Unsupported, with a hint. An answer that was cut off, calls that
// were lost or garbled and a client that panics are errors by class.
//
// Where a request has no temperature 1 is sent to OpenAI and Anthropic and 0.8 to
// Ollama, their defaults, because the clients would send 0; Config.Options may set
// another. A schema of the answer is told to the model in words, with JSON mode
// where the client has it.
//
// With tools nothing is streamed, because the clients garble calls in streams: the
// answer is told whole. Config.StreamWithTools streams all the same: an answer that
// turns out garbled is then asked for again, whole, behind a model.Again.
//
// # What cannot be mended
//
//   - OpenAI's client passes over events of a stream that are no JSON: the text
//     has a hole that cannot be seen. Config.Whole avoids it.
//   - Numbers beyond 2^53 in arguments lose digits in Anthropic's and GoogleAI's
//     clients, and that a result is an error is not told to Anthropic, except by
//     its text.
//   - Mistral's client does not heed the context. What it does is waited for.
//   - A panic in a goroutine that a client started ends the program: Anthropic's
//     has one at a negative index in a stream. The same goroutine is left behind
//     when a server sends more behind an error event. Config.Whole avoids both.
//   - How long a provider asks to wait is known only if its error text says so.
package langchain
