package llmstub

import "encoding/json"

const created = 1700000000 // when all answers were made, in seconds

type completion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int          `json:"created"`
	Model   string       `json:"model"`
	Choices []choice     `json:"choices"`
	Usage   *openaiUsage `json:"usage,omitempty"`
}

type choice struct {
	Index   int          `json:"index"`
	Message completeText `json:"message"`
	Finish  *string      `json:"finish_reason"`
}

type completeText struct {
	Role      string  `json:"role"`
	Content   *string `json:"content"`
	Reasoning string  `json:"reasoning_content,omitempty"`
	Refusal   *string `json:"refusal"`
	Calls     []piece `json:"tool_calls,omitempty"`
}

type openaiUsage struct {
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Total      int           `json:"total_tokens"`
	Read       cachedTokens  `json:"prompt_tokens_details"`
	Written    reasonedAbout `json:"completion_tokens_details"`
}

type cachedTokens struct {
	Cached int `json:"cached_tokens"`
}

type reasonedAbout struct {
	Reasoning int `json:"reasoning_tokens"`
}

// piece is a call or a part of one. Index is nil where it is not sent.
type piece struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name string `json:"name,omitempty"`
	Args string `json:"arguments"`
}

func (a *answer) openaiUsage() *openaiUsage {
	u := a.usage
	return &openaiUsage{u.Input, u.Output, u.Input + u.Output, cachedTokens{u.CacheRead}, reasonedAbout{u.Reasoning}}
}

// openai is the answer as one body.
func (a *answer) openai() string {
	m := completeText{Role: "assistant", Reasoning: a.reasoning}
	if text := a.text + a.pad; text != "" || len(a.calls) == 0 {
		m.Content = &text
	}
	for i := range a.calls {
		p := a.head(i, string(a.calls[i].Args))
		p.Index = nil
		m.Calls = append(m.Calls, p)
	}
	c := choice{Message: m, Finish: &a.stop}
	if a.fault.NoFinish {
		c.Finish = nil
	}
	whole := completion{a.id, "chat.completion", created, a.model, []choice{c}, a.openaiUsage()}
	if a.fault.NoUsage {
		whole.Usage = nil
	}
	return asJSON(whole)
}

// head is a piece of the i-th call that says which call it is.
func (a *answer) head(i int, args string) piece {
	p := piece{ID: a.calls[i].ID, Type: "function", Function: function{a.calls[i].Name, args}}
	if a.fault.NoType {
		p.Type = ""
	}
	if !a.fault.NoIndex {
		p.Index = &i
	}
	return p
}

type chunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int             `json:"created"`
	Model   string          `json:"model"`
	Choices []chunkChoice   `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index  int     `json:"index"`
	Delta  any     `json:"delta"`
	Finish *string `json:"finish_reason"`
}
