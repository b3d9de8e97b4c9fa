package llmstub

import "encoding/json"

// The deltas of a stream.
type (
	roleDelta struct {
		Role    string  `json:"role"`
		Content *string `json:"content"`
	}
	textDelta struct {
		Content string `json:"content"`
	}
	reasoningDelta struct {
		Reasoning string `json:"reasoning_content"`
	}
	callDelta struct {
		Calls []piece `json:"tool_calls"`
	}
	noDelta struct{}
)

// openaiStream builds the events of a stream.
type openaiStream struct {
	*answer
	usage  bool // the client asked for it
	events []event
}

// openaiEvents is the answer as a stream, with its [DONE].
func (a *answer) openaiEvents(includeUsage bool) []event {
	s := &openaiStream{answer: a, usage: includeUsage && !a.fault.NoUsage}
	if a.fault.EmptyChunks {
		s.add([]chunkChoice{}, nil)
	}
	role := roleDelta{Role: "assistant"}
	if len(a.calls) == 0 || a.text != "" {
		role.Content = new(string)
	}
	s.delta(role, nil)
	for _, d := range deltas(a.reasoning) {
		s.delta(reasoningDelta{d}, nil)
	}
	for _, d := range a.said() {
		s.delta(textDelta{d}, nil)
	}
	s.calls()
	if !a.fault.NoFinish {
		s.delta(noDelta{}, &a.stop)
	}
	if s.usage {
		s.add([]chunkChoice{}, a.openaiUsage())
	}
	return append(s.events, event{data: "[DONE]"})
}

func (s *openaiStream) add(choices []chunkChoice, usage *openaiUsage) {
	c := chunk{ID: s.id, Object: "chat.completion.chunk", Created: created, Model: s.model, Choices: choices}
	if s.usage {
		c.Usage = json.RawMessage(asJSON(usage))
	}
	s.events = append(s.events, event{data: asJSON(c)})
}

func (s *openaiStream) delta(d any, finish *string) {
	s.add([]chunkChoice{{Delta: d, Finish: finish}}, nil)
	if s.fault.EmptyChunks && finish == nil {
		s.add([]chunkChoice{{Delta: noDelta{}}}, nil)
	}
}

// calls streams the calls one after another, or by turns.
func (s *openaiStream) calls() {
	parts := make([][]piece, len(s.answer.calls))
	for i, c := range s.answer.calls {
		parts[i] = append(parts[i], s.head(i, ""))
		for _, text := range pieces(c.Args) {
			parts[i] = append(parts[i], s.part(i, text))
		}
	}
	if s.fault.Interleaved {
		parts = turns(parts)
	}
	for _, list := range parts {
		for _, p := range list {
			s.delta(callDelta{[]piece{p}}, nil)
		}
	}
}

// part is a later piece of the i-th call.
func (s *openaiStream) part(i int, args string) piece {
	p := s.head(i, args)
	if !s.fault.RepeatIDs {
		p.ID, p.Type, p.Function.Name = "", "", ""
	}
	return p
}

// turns takes one piece of each list after another.
func turns(lists [][]piece) [][]piece {
	longest := 0
	for _, l := range lists {
		longest = max(longest, len(l))
	}
	out := make([][]piece, longest)
	for _, l := range lists {
		for n, p := range l {
			out[n] = append(out[n], p)
		}
	}
	return out
}
