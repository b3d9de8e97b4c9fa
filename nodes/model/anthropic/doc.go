// Package anthropic is a model.Model of Anthropic's messages.
//
//	m, err := anthropic.New(anthropic.Config{Name: "claude-sonnet-4-5", Key: key})
//
// Requests are made with the official client, which here reads nothing of the
// environment and of no file, and sends nothing twice; retrying is for a model
// around this one.
//
// # What is sent
//
// System messages in front become the system prompt. Results of tools, and a
// human message behind them, are one turn of the user. Reasoning parts that
// Anthropic has signed go back as they came; the Data of one that is redacted
// begins with "redacted_thinking:". What a part holds that the model cannot be
// shown is told in words: its kind, and where it is.
//
// # Thinking
//
// A model with a budget for thoughts is asked without them where Anthropic would
// refuse the request: if a tool must be called, and if the call at work was made
// without a thought.
package anthropic
