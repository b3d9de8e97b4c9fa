package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// nearest tells how a request differs from the recording that is nearest to it:
// of those of the same model and with as many messages if there are any, the
// one with the most messages in common.
func (p *Replayer) nearest(r *Request) string {
	all, err := names(p.Dir)
	if err != nil {
		return err.Error()
	}
	asked, best, near, broken := fieldsOf(r), []int(nil), "there are no other recordings", 0
	for _, name := range all {
		f, err := loadRecording(p.Dir, name)
		if err != nil {
			broken++
			continue
		}
		kept := fieldsOf(f.Request)
		if score := asked.score(kept, p.recorded(f)); slices.Compare(score, best) > 0 {
			best = score
			near = fmt.Sprintf("the nearest is %s, %s", name, p.difference(asked, kept, f))
		}
	}
	if broken > 0 {
		near += fmt.Sprintf("; %d files there cannot be read", broken)
	}
	return near
}

// fields are the parts of a canonical request.
type fields struct {
	messages []json.RawMessage
	others   map[string]json.RawMessage
}

// fieldsOf takes a request apart that has a JSON form.
func fieldsOf(r *Request) fields {
	f := fields{others: map[string]json.RawMessage{}}
	if data, err := r.MarshalJSON(); err == nil && json.Unmarshal(data, &f.others) == nil {
		_ = json.Unmarshal(f.others["messages"], &f.messages) // it is a list: it has just been written
	}
	delete(f.others, "messages")
	return f
}

// common returns how many messages in front are the same.
func (f fields) common(o fields) int {
	n := 0
	for n < min(len(f.messages), len(o.messages)) && bytes.Equal(f.messages[n], o.messages[n]) {
		n++
	}
	return n
}

// score says how near a recording is; more is nearer.
func (f fields) score(o fields, sameModel bool) []int {
	score := []int{0, 0, f.common(o)}
	if sameModel {
		score[0] = 1
	}
	if len(f.messages) == len(o.messages) {
		score[1] = 1
	}
	return score
}

// difference tells the first thing that differs from a recording.
func (p *Replayer) difference(asked, kept fields, f *recording) string {
	n := asked.common(kept)
	switch {
	case !p.recorded(f):
		return fmt.Sprintf("of the model %q of %q", f.Model, f.Provider)
	case n < min(len(asked.messages), len(kept.messages)):
		return fmt.Sprintf("where message %d differs: %s", n, apart(asked.messages[n], kept.messages[n]))
	case len(asked.messages) != len(kept.messages):
		return fmt.Sprintf("with %d messages: %d are asked", len(kept.messages), len(asked.messages))
	}
	for _, key := range []string{"tools", "choice", "one_call", "schema", "max_tokens", "temperature", "top_p", "stop", "seed"} {
		if !bytes.Equal(asked.others[key], kept.others[key]) {
			return fmt.Sprintf("where %s differs: %s", key, apart(asked.others[key], kept.others[key]))
		}
	}
	return "where the same is asked: it does not come as often"
}

// apart shows two texts from a little before they differ.
func apart(asked, kept []byte) string {
	at := 0
	for at < min(len(asked), len(kept)) && asked[at] == kept[at] {
		at++
	}
	return fmt.Sprintf("asked %s, recorded %s", around(asked, at), around(kept, at))
}

func around(text []byte, at int) string {
	const before, behind = 30, 60
	if len(text) == 0 {
		return "nothing"
	}
	from, to := max(at-before, 0), min(at+behind, len(text))
	piece := strings.ToValidUTF8(string(text[from:to]), "")
	if from > 0 {
		piece = "…" + piece
	}
	if to < len(text) {
		piece += "…"
	}
	return piece
}
