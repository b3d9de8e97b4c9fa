package anthropic

import (
	"encoding/json"

	"github.com/graphrun/graphrun/nodes/model"
)

// event is an event of a stream, or a whole answer, which is a message by itself.
type event struct {
	Type    string
	message          // of a whole answer
	Message *message // of message_start
	Index   int
	Block   *block `json:"content_block"`
	Delta   delta
	Error   json.RawMessage
}

type message struct {
	ID      string
	Model   string
	Content []block
	Stop    string `json:"stop_reason"`
	Usage   *usage
}

type block struct {
	Type, Text, Thinking, Signature, Data string

	ID, Name string
	Input    json.RawMessage
}

type delta struct {
	Type, Text, Thinking, Signature string

	Part string `json:"partial_json"`
	Stop string `json:"stop_reason"`
}

// usage has the sums so far.
type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// add takes later sums. What they do not tell stays.
func (u *usage) add(o *usage) {
	if o == nil {
		return
	}
	u.Input, u.Output = max(u.Input, o.Input), max(u.Output, o.Output)
	u.CacheRead, u.CacheWrite = max(u.CacheRead, o.CacheRead), max(u.CacheWrite, o.CacheWrite)
	u.Details.Thinking = max(u.Details.Thinking, o.Details.Thinking)
}

// tokens counts in what came from the cache or went into it.
func (u *usage) tokens() model.Usage {
	return model.Usage{
		Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output,
		CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Details.Thinking,
	}
}

// stop is a reason to stop in our words.
func stop(word string, called bool) model.Stop {
	switch word {
	case "", "end_turn", "stop_sequence":
		if called {
			return model.StopCalls
		}
		return model.StopEnd
	case "tool_use":
		return model.StopCalls
	case "max_tokens", "model_context_window_exceeded":
		return model.StopLength
	case "refusal":
		return model.StopRefused
	}
	return model.Stop(word)
}
