package llmstub

import "encoding/json"

// The bodies of the events of a stream, and what is in them.
type (
	startEvent struct {
		Type    string           `json:"type"`
		Message anthropicMessage `json:"message"`
	}
	blockStart struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	blockDelta struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta any    `json:"delta"`
	}
	blockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	stopDelta struct {
		Stop         *string `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	messageDelta struct {
		Type  string       `json:"type"`
		Delta stopDelta    `json:"delta"`
		Usage *outputUsage `json:"usage,omitempty"`
	}
	outputUsage struct {
		Output int `json:"output_tokens"`
	}
	bareEvent struct {
		Type string `json:"type"`
	}
	thinkingDelta struct {
		Type     string `json:"type"`
		Thinking string `json:"thinking"`
	}
	signatureDelta struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	jsonDelta struct {
		Type string `json:"type"`
		Part string `json:"partial_json"`
	}
)

// anthropicStream builds the events of a stream.
type anthropicStream struct {
	*answer
	index  int // of the block
	events []event
}

// anthropicEvents is the answer as a stream.
func (a *answer) anthropicEvents() []event {
	s := &anthropicStream{answer: a}
	m := a.message()
	if m.Usage != nil {
		m.Usage.Output = 1
	}
	s.add("message_start", startEvent{"message_start", m})
	s.ping()
	s.thinking()
	s.said()
	for _, c := range a.calls {
		s.call(c)
	}
	if !a.fault.NoFinish {
		end := messageDelta{"message_delta", stopDelta{Stop: &a.stop}, &outputUsage{a.usage.Output}}
		if a.fault.NoUsage {
			end.Usage = nil
		}
		s.add("message_delta", end)
	}
	s.add("message_stop", bareEvent{"message_stop"})
	return s.events
}

func (s *anthropicStream) add(name string, v any) {
	s.events = append(s.events, event{name, asJSON(v)})
}

func (s *anthropicStream) ping() { s.add("ping", bareEvent{"ping"}) }

func (s *anthropicStream) delta(d any) {
	s.add("content_block_delta", blockDelta{"content_block_delta", s.index, d})
	if s.fault.EmptyChunks {
		s.ping()
	}
}

// block streams one block: how it starts, and its deltas.
func (s *anthropicStream) block(start any, deltas []any) {
	s.add("content_block_start", blockStart{"content_block_start", s.index, start})
	for _, d := range deltas {
		s.delta(d)
	}
	s.add("content_block_stop", blockStop{"content_block_stop", s.index})
	s.index++
}

func (s *anthropicStream) thinking() {
	if s.reasoning == "" {
		return
	}
	var list []any
	for _, d := range deltas(s.reasoning) {
		list = append(list, thinkingDelta{"thinking_delta", d})
	}
	list = append(list, signatureDelta{"signature_delta", signature(s.reasoning)})
	s.block(thinkingBlock{Type: "thinking"}, list)
}

func (s *anthropicStream) said() {
	var list []any
	for _, d := range s.answer.said() {
		list = append(list, textBlock{"text_delta", d})
		if s.fault.EmptyChunks {
			list = append(list, textBlock{"text_delta", ""})
		}
	}
	if list != nil {
		s.block(textBlock{Type: "text"}, list)
	}
}

// call streams a call. Its first piece is empty, and with no arguments the only
// one.
func (s *anthropicStream) call(c Call) {
	list := []any{jsonDelta{Type: "input_json_delta"}}
	if c.Args != "{}" {
		for _, d := range pieces(c.Args) {
			list = append(list, jsonDelta{"input_json_delta", d})
		}
	}
	s.block(toolUseBlock{"tool_use", c.ID, c.Name, json.RawMessage("{}")}, list)
}
