package llmstub

import (
	"encoding/json"
	"net/http"
	"slices"
)

// The two wires, as Request.Wire names them.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Request is what came, in the same words for both wires. It is for reading.
type Request struct {
	// Wire is OpenAI or Anthropic.
	Wire  string
	Model string
	// System are the system prompts, an empty line between them.
	System string
	// Messages are all others. A user's message of Anthropic with results of
	// tools is a message "tool" for each of them, then one "user" if it has text.
	Messages []Message
	Tools    []Tool
	Stream   bool
	// Header are the headers as they came, keys of the provider too.
	Header http.Header
	// Body is the body as it came.
	Body []byte
	// Refused is the error that the request was refused with. "": it was not.
	Refused string

	includeUsage bool
	key          string
}

// Message is one message of a conversation.
type Message struct {
	// Role is user, assistant or tool.
	Role string
	// Text are the texts of the message put together; pictures are left out.
	Text      string
	Reasoning string
	Calls     []Call
	// CallID is the call that a message "tool" is the result of.
	CallID string
	// IsError is set if the result is marked as an error. OpenAI has no such mark.
	IsError bool
}

// Tool is a tool that is offered to the model.
type Tool struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments. nil: none was sent.
	Schema json.RawMessage
}

func (r *Request) last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text
}

func (r *Request) offers(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == tool })
}

// bytes is how much text the model reads.
func (r *Request) bytes() int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.Reasoning)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
	}
	return n
}
