package langchain

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// answer is all choices of a response as one.
type answer struct {
	text     string
	thoughts []model.Reasoning
	calls    []state.ToolCall
	stop     model.Stop
	usage    model.Usage
	model    string
	bare     int // calls that came without arguments
}

func (a *answer) thought() string {
	var b strings.Builder
	for _, t := range a.thoughts {
		b.WriteString(t.Text)
	}
	return b.String()
}

// read makes an answer of a response and says what is wrong with it. seen is what
// came in a stream; nil: there was none. The answer is never nil.
func (m *Model) read(resp *llms.ContentResponse, r *model.Request, seen *told) (*answer, error) {
	a, err := m.merge(resp)
	if err != nil {
		return a, err
	}
	if seen != nil {
		if err := m.compare(a, seen); err != nil {
			return a, err
		}
	}
	return a, m.settle(a, r, seen != nil)
}

// merge joins the choices: what is thought, the text, and the calls in order. What
// it cost is in the answer even if there is something wrong with it.
func (m *Model) merge(resp *llms.ContentResponse) (*answer, error) {
	a := &answer{}
	var wrong error
	var counted bool
	var choices, texts, withCalls int
	for _, c := range choicesOf(resp) {
		choices++
		if c.Content != "" {
			texts++
		}
		if len(c.ToolCalls) > 0 {
			withCalls++
		}
		a.text += c.Content
		a.think(c)
		if err := m.addCalls(a, c); err != nil && wrong == nil {
			wrong = err
		}
		if s := stopOf(c.StopReason); s != "" {
			a.stop = s
		}
		if a.model == "" {
			a.model, _ = c.GenerationInfo["model"].(string)
		}
		if !counted {
			a.usage, counted = usageOf(c.GenerationInfo)
		}
	}
	switch {
	case choices == 0:
		return a, m.failure(model.Malformed, "the response has no answer")
	case wrong != nil:
		return a, wrong
	case !m.cfg.Kind.blocks() && max(texts, withCalls) > 1:
		return a, m.failure(model.Malformed, fmt.Sprintf("the response has %d answers to choose from: ask for one", choices))
	}
	return a, nil
}

// choicesOf are the choices that are there.
func choicesOf(resp *llms.ContentResponse) []*llms.ContentChoice {
	if resp == nil {
		return nil
	}
	var out []*llms.ContentChoice
	for _, c := range resp.Choices {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// think adds what a choice has of reasoning. A choice with text may have a copy of
// a part of it under the same key.
func (a *answer) think(c *llms.ContentChoice) {
	t := model.Reasoning{Text: c.ReasoningContent}
	if t.Text == "" && c.Content == "" {
		t.Text, _ = c.GenerationInfo["ThinkingContent"].(string)
	}
	if s, _ := c.GenerationInfo["ThinkingSignature"].(string); s != "" {
		t.Signature, t.By = []byte(s), transcript.SignedAnthropic
	}
	if t.Text != "" || t.Signature != nil {
		a.thoughts = append(a.thoughts, t)
	}
}

func (m *Model) addCalls(a *answer, c *llms.ContentChoice) error {
	list := c.ToolCalls
	if len(list) == 0 && c.FuncCall != nil {
		list = []llms.ToolCall{{FunctionCall: c.FuncCall}}
	}
	for _, call := range list {
		f := call.FunctionCall
		if f == nil || f.Name == "" {
			return m.failure(model.Malformed, "a tool call has no name")
		}
		args := strings.TrimSpace(f.Arguments)
		if args == "" {
			args = "{}"
			a.bare++
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(args), &object); err != nil {
			return m.failure(model.Malformed, fmt.Sprintf("the arguments of a call of %q are no JSON object: %s", f.Name, args))
		}
		if object == nil { // Anthropic's and GoogleAI's clients write no arguments as null
			args = "{}"
		}
		a.calls = append(a.calls, state.ToolCall{ID: call.ID, Name: f.Name, Args: json.RawMessage(args)})
	}
	return nil
}

// compare says whether an answer fits what came in the stream.
func (m *Model) compare(a *answer, seen *told) error {
	if a.text == "" && seen.text.Len() > 0 {
		return m.failure(model.Cut, "the stream ended before the answer did")
	}
	if !strings.HasPrefix(a.text, seen.text.String()) || !strings.HasPrefix(a.thought(), seen.thought.String()) {
		return m.failure(model.Malformed, "the client's answer is not what it streamed")
	}
	ids := map[string]bool{}
	for _, c := range a.calls {
		if c.ID != "" && ids[c.ID] {
			return m.failure(model.Malformed, fmt.Sprintf("the client made several calls of the one with the id %q", c.ID))
		}
		ids[c.ID] = true
	}
	switch {
	case seen.names > 0 && seen.names != len(a.calls):
		return m.failure(model.Malformed, fmt.Sprintf("the stream had %d calls, the client made %d of them", seen.names, len(a.calls)))
	case len(a.calls) > 1 && a.bare > 0:
		return m.failure(model.Malformed, "of several calls one came without arguments: the client may have given them to another")
	}
	return nil
}

// settle makes the reason to stop fit the answer, or says that it cannot.
func (m *Model) settle(a *answer, r *model.Request, streamed bool) error {
	silent := a.text == "" && a.calls == nil && a.usage.Total() == 0
	switch {
	case a.stop == "" && (streamed && m.cfg.Kind.tellsStop() || m.cfg.Kind == Ollama && silent):
		return m.failure(model.Cut, "the answer ended without a reason to stop")
	case a.calls == nil && a.stop == model.StopCalls:
		return m.failure(model.Malformed, "the model says that it calls tools, and the client has no call")
	case a.calls != nil && (a.stop == "" || a.stop == model.StopEnd):
		a.stop = model.StopCalls
	case a.stop == "" && r.MaxTokens > 0 && a.usage.Output >= r.MaxTokens:
		a.stop = model.StopLength
	case a.stop == "":
		a.stop = model.StopEnd
	}
	return nil
}

// stopOf is the reason to stop in the words of package model; empty: none.
func stopOf(reason string) model.Stop {
	switch strings.ToLower(reason) {
	case "", "null", "finishreasonunspecified":
		return ""
	case "stop", "end_turn", "stop_sequence", "finishreasonstop":
		return model.StopEnd
	case "tool_calls", "tool_use", "function_call":
		return model.StopCalls
	case "length", "max_tokens", "model_length", "finishreasonmaxtokens":
		return model.StopLength
	case "content_filter", "refusal", "finishreasonsafety", "finishreasonrecitation":
		return model.StopRefused
	}
	return model.Stop(reason)
}
