package openai

import (
	"encoding/json"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
)

// chunk is an event of a stream, or a whole answer. The client's own type would
// hide what servers add.
type chunk struct {
	ID      string
	Model   string
	Choices []choice
	Usage   *usage
	Error   json.RawMessage
}

type choice struct {
	Index   int
	Delta   delta
	Message *delta // of a whole answer
	Finish  string `json:"finish_reason"`
}

type delta struct {
	Content   content
	Refusal   string
	Reasoning content
	Thought   string    `json:"reasoning_content"` // the other name of reasoning
	Calls     []piece   `json:"tool_calls"`
	Function  *function `json:"function_call"`
}

type piece struct {
	Index    *int
	ID       string
	Function function
}

type function struct {
	Name string
	Args args `json:"arguments"`
}

// thinks is what a delta has of the model's thoughts. Some servers send them
// under both names.
func (d *delta) thinks() string {
	if d.Thought != "" {
		return d.Thought
	}
	return d.Reasoning.text + d.Content.thought
}

// content is a text, or a list of parts: texts, and thoughts with texts of their own.
type content struct{ text, thought string }

// UnmarshalJSON reads either form.
func (c *content) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &c.text)
	case '[':
	default: // null, or what nobody knows
		return nil
	}
	var parts []struct {
		Text     string
		Thinking content
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		c.text += p.Text
		c.thought += p.Thinking.text
	}
	return nil
}

// args are arguments as a text; some servers send them as the object itself.
type args string

// UnmarshalJSON reads either form.
func (a *args) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, (*string)(a))
	case '{':
		*a = args(data)
	}
	return nil
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"`
	Read       struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Wrote struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// tokens counts once: servers that count thoughts beside the answer have them in
// the total alone.
func (u *usage) tokens() model.Usage {
	return model.Usage{
		Input: u.Prompt, Output: max(u.Completion, u.Total-u.Prompt),
		CacheRead: max(u.Read.Cached, u.CacheHit), CacheWrite: u.Read.Written, Reasoning: u.Wrote.Reasoning,
	}
}

// stops are the reasons to stop in our words.
func stop(word string, calls, refused bool) model.Stop {
	switch word {
	case "", "stop", "tool_calls", "function_call":
		switch {
		case calls || word == "tool_calls" || word == "function_call":
			return model.StopCalls
		case refused:
			return model.StopRefused
		}
		return model.StopEnd
	case "length":
		return model.StopLength
	case "content_filter":
		return model.StopRefused
	}
	return model.Stop(strings.ToLower(word))
}
