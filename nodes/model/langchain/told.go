package langchain

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
)

// piece is what a client hands to a callback: text that may be something else, or
// reasoning.
type piece struct {
	text    string
	thought bool
}

// told is what has come of an answer in a stream.
type told struct {
	tools   bool // are offered, so that what comes may be pieces of calls
	text    strings.Builder
	thought strings.Builder
	names   int // pieces of calls that had a name
}

// take makes a chunk of a piece; nil: it is none of the text.
func (t *told) take(p piece) model.Chunk {
	switch {
	case p.text == "":
		return nil
	case p.thought:
		t.thought.WriteString(p.text)
		return model.Reasoning{Text: p.text}
	case t.tools && t.call(p.text):
		return nil
	}
	t.text.WriteString(p.text)
	return model.Text{Text: p.text}
}

// call says whether a piece is one of calls: OpenAI's client gives them to the
// callback as JSON, between the text.
func (t *told) call(text string) bool {
	var pieces []struct {
		ID       string
		Type     string
		Function *struct{ Name, Arguments string }
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if dec.Decode(&pieces) != nil || dec.More() || len(pieces) == 0 {
		return false
	}
	names := 0
	for _, p := range pieces {
		if p.Function == nil {
			return false
		}
		if p.Function.Name != "" {
			names++
		}
	}
	t.names += names
	return true
}
