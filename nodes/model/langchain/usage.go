package langchain

import (
	"encoding/json"
	"reflect"

	"github.com/graphrun/graphrun/nodes/model"
)

// usageOf reads what an answer cost, whatever the client calls its fields; false:
// it does not say.
func usageOf(info map[string]any) (model.Usage, bool) {
	if inner := fields(info["usage"]); inner != nil {
		return usageOf(inner)
	}
	input, counts := first(info, "InputTokens", "PromptTokens", "input_tokens", "prompt_tokens")
	output, too := first(info, "OutputTokens", "CompletionTokens", "output_tokens", "completion_tokens")
	if !counts && !too {
		return model.Usage{}, false
	}
	u := model.Usage{Input: input, Output: output}
	u.CacheRead, _ = first(info, "CacheReadInputTokens", "PromptCachedTokens", "CachedTokens", "cached_tokens")
	u.CacheWrite, _ = first(info, "CacheCreationInputTokens")
	u.Reasoning, _ = first(info, "ReasoningTokens", "CompletionReasoningTokens", "ThinkingTokens")
	if _, apart := first(info, "InputTokens"); apart { // Anthropic's way: without the cache
		u.Input += u.CacheRead + u.CacheWrite
	}
	return u, true
}

// fields are the fields of a struct or map as its JSON has them; nil: there are
// none.
func fields(v any) map[string]any {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out map[string]any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// first returns the first of the numbers that is there. Less than 0 is 0.
func first(info map[string]any, keys ...string) (int, bool) {
	for _, key := range keys {
		if n, ok := number(info[key]); ok {
			return max(n, 0), true
		}
	}
	return 0, false
}

func number(v any) (int, bool) {
	switch r := reflect.ValueOf(v); {
	case !r.IsValid():
		return 0, false
	case r.CanInt():
		return int(r.Int()), true
	case r.CanUint():
		return int(r.Uint()), true
	case r.CanFloat():
		return int(r.Float()), true
	}
	return 0, false
}
