package handoffs

import (
	"maps"
	"slices"
	"strconv"
)

// redactRecord takes the secrets out of a record's texts and payload. What it
// shares with others is copied where it changes. A nil Redactor changes nothing.
func redactRecord(r *Record, red Redactor) {
	if red == nil {
		return
	}
	for _, text := range []*string{&r.Explanation, &r.Intent, &r.Task} {
		redactText(text, red)
	}
	r.Payload, _ = redactMap(r.Payload, red)
}

// redactOutcome takes the secrets out of an outcome as redactRecord does.
func redactOutcome(o *Outcome, red Redactor) {
	if red == nil {
		return
	}
	redactText(&o.Text, red)
	redactText(&o.Error, red)
	o.Value, _ = redactAny(o.Value, red)
	o.Outputs, _ = redactMap(o.Outputs, red)
}

func redactText(text *string, red Redactor) {
	if *text != "" {
		*text = red.Redact(*text)
	}
}

// redactAny returns a value, which cannot hold itself, without secrets, and
// whether it is another one.
func redactAny(v any, red Redactor) (any, bool) {
	switch x := v.(type) {
	case string:
		text := red.Redact(x)
		return text, text != x
	case []any:
		return redactList(x, red)
	case map[string]any:
		return redactMap(x, red)
	}
	return v, false
}

func redactList(list []any, red Redactor) (_ []any, changed bool) {
	out := list
	for i, v := range list {
		to, other := redactAny(v, red)
		if !other {
			continue
		}
		if !changed {
			out, changed = slices.Clone(list), true
		}
		out[i] = to
	}
	return out, changed
}

// redactMap returns the map without secrets, also those in keys: m itself if
// it has none.
func redactMap(m map[string]any, red Redactor) (_ map[string]any, changed bool) {
	out := m
	var keys []string // that are or hold secrets
	for k, v := range m {
		to, other := redactMember(k, v, red)
		if red.Redact(k) != k {
			keys, other = append(keys, k), true
		}
		if !other {
			continue
		}
		if !changed {
			out, changed = maps.Clone(m), true
		}
		out[k] = to
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := out[k]
		delete(out, k)
		name := red.Redact(k)
		for n := 2; ; n++ {
			if _, taken := out[name]; !taken {
				break
			}
			name = red.Redact(k) + strconv.Itoa(n)
		}
		out[name] = v
	}
	return out, changed
}

// redactMember returns the value of a key. Some Redactors know secrets by their
// keys.
func redactMember(key string, v any, red Redactor) (any, bool) {
	named, _ := red.(interface{ secretKey(string) bool })
	if named == nil || !named.secretKey(key) {
		return redactAny(v, red)
	}
	switch x := v.(type) {
	case nil, bool:
		return v, false
	case string:
		if x == "" || x == Redacted {
			return v, false
		}
	}
	return Redacted, true
}
