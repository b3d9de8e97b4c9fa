package expression

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// normalise makes a value of the kinds expressions know: all integers become
// int64, all other numbers float64. It copies lists and maps.
func normalise(value any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, limitf("the value is nested more than %d deep", maxDepth)
	}
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			var err error
			if list[i], err = normalise(element, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		built := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			var err error
			if built[key], err = normalise(v[key], depth+1); err != nil {
				return nil, err
			}
		}
		return built, nil
	}
	return scalar(value)
}

// scalar makes a value that is neither list nor map one of the kinds
// expressions know.
func scalar(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, string, int64:
		return v, nil
	case float64:
		return finite(v)
	case float32:
		return finite(float64(v))
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint:
		return scalar(uint64(v))
	case uint64:
		if v > math.MaxInt64 {
			return nil, faultf("%d does not fit into a 64-bit integer", v)
		}
		return int64(v), nil
	case json.Number:
		return number(v)
	}
	return nil, faultf("expressions do not know values of type %T", value)
}

// number reads a number of JSON: an int where it is written as one.
func number(text json.Number) (any, error) {
	if !strings.ContainsAny(text.String(), ".eE") {
		n, err := text.Int64()
		if err != nil {
			return nil, faultf("%s does not fit into a 64-bit integer", text)
		}
		return n, nil
	}
	x, err := text.Float64()
	if err != nil {
		return nil, faultf("%s does not fit into a float", text)
	}
	return x, nil
}
