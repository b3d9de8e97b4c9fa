package handoffs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/internal/fieldjson"
	"github.com/graphrun/graphrun/state"
)

// ParseSignal reads a signal as people and programs give it in an answer: an
// object with a type, the type alone, or null for a tick of the clock.
func ParseSignal(v any) (Signal, error) {
	switch v := v.(type) {
	case nil:
		return Signal{Type: "tick"}, nil
	case string:
		if v == "" {
			return Signal{}, errors.New("handoffs: a signal needs a type")
		}
		return Signal{Type: v}, nil
	case map[string]any:
		var s Signal
		if err := fieldjson.Into(v, &s); err != nil {
			return s, fmt.Errorf("handoffs: signal: %w", err)
		}
		if s.Type == "" {
			return s, errors.New(`handoffs: a signal needs a "type"`)
		}
		return s, nil
	}
	return Signal{}, fmt.Errorf("handoffs: a signal is an object with a type, a text or null, not %T", v)
}

// readSignal reads a signal as JSON holds it.
func readSignal(data []byte) (Signal, error) {
	v, err := state.ParseAny(data)
	if err != nil {
		return Signal{}, err
	}
	return ParseSignal(v)
}

// encode returns the signal as readSignal takes it, with the types of its
// payload's values.
func (s *Signal) encode() (json.RawMessage, error) {
	fields := map[string]any{"type": s.Type}
	for key, text := range map[string]string{"id": s.ID, "handoffId": s.Handoff, "agentId": s.Agent, "reason": s.Reason} {
		if text != "" {
			fields[key] = text
		}
	}
	if s.Payload != nil {
		fields["payload"] = s.Payload
	}
	data, err := state.AppendAny(nil, fields)
	if err != nil {
		return nil, fmt.Errorf("handoffs: signal %s: %w", s.Type, err)
	}
	return data, nil
}
