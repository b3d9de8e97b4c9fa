// Package model is what graphrun needs of a language model, and no more: one
// method that streams an answer.
//
//	type Model interface {
//		Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error]
//	}
//
// Adapters make a Model of what there is: package openai of every server with
// OpenAI's wire form, package anthropic of Anthropic's, package langchain of
// any model of langchaingo. Collect asks a model and joins the answer:
//
//	answer, err := model.Collect(m.Stream(ctx, &model.Request{Messages: messages}), nil)
//
// # What holds of a stream
//
// It is chunks of four kinds. Text and Reasoning are pieces of what the model
// says and thinks; joined in their order they are the message, to the byte. A
// Call is a whole tool call: its arguments are a JSON object. End comes last,
// once, and tells why the model stopped and what it cost. A stream that ends
// without it was cut off, and Collect makes an error of it: half an answer
// is never taken for a whole one. Again may come in a stream that is tried
// anew: what came before it is void.
//
// # Errors
//
// What a provider refuses, or does wrong, is an *Error with a Class, which
// errors.Is finds: errors.Is(err, model.RateLimited). A cancelled context gives
// its cause, as it is. Keys and tokens are in no error.
//
// # Around a model
//
// Retry, Limit and Deadline are models around a model: they try again by class
// and as the provider asks, keep to rates that all threads of the process share,
// and bound time. Recorder and Replayer keep calls in files and play them, so that
// what was seen with a real model becomes a test without one. Func makes a
// model of a function.
//
// Models may be called by several goroutines at once.
package model
