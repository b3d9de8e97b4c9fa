package nodes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/schemacheck"
)

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// read reads an answer, and tells what is wrong with it.
func (q *Question) read(data json.RawMessage) (Answer, string) {
	data = bytes.TrimSpace(data)
	var text string
	isText := json.Unmarshal(data, &text) == nil
	if len(data) == 0 || isText && isBlank(text) { // null is read as an empty text
		if q.Default == nil {
			return Answer{}, "it is empty"
		}
		bare := *q
		bare.Default = nil
		return bare.read(q.Default)
	}
	switch {
	case q.Form != nil:
		return q.readForm(data, text)
	case q.Choices != nil:
		return q.readChoices(data)
	}
	words, ok := wordsOf(data)
	if !ok || len(words) != 1 {
		return Answer{}, "it must be a text"
	}
	return textAnswer(strings.TrimSpace(words[0])), ""
}

func textAnswer(text string) Answer { return Answer{Value: jsonOf(text), Text: text} }

// jsonOf writes texts, which always have a JSON form.
func jsonOf[T string | []string](v T) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}

// readForm reads the answer to a form, which may also come as a text with the
// JSON.
func (q *Question) readForm(data json.RawMessage, text string) (Answer, string) {
	form, err := schemacheck.Compile(q.Form)
	if err != nil {
		return Answer{}, err.Error()
	}
	problem := form.Check(data)
	if inner := schemacheck.Unfenced(text); problem != nil && inner != "" && json.Valid([]byte(inner)) {
		data = []byte(inner)
		problem = form.Check(data)
	}
	if problem != nil {
		return Answer{}, problem.Error()
	}
	return Answer{Value: data, Text: string(data)}, ""
}

// readChoices reads which choices an answer takes.
func (q *Question) readChoices(data json.RawMessage) (Answer, string) {
	words, ok := wordsOf(data)
	switch {
	case !ok, len(words) == 0:
		return Answer{}, "it must be one of " + q.values()
	case len(words) > 1 && !q.Many:
		return Answer{}, "it must be one alone of " + q.values()
	}
	var a Answer
	var values []string
	for _, word := range words {
		c, ok := q.choice(word)
		switch {
		case ok && slices.Contains(values, c.Value):
			continue
		case ok:
			a.Choices = append(a.Choices, c)
		case q.Other && !isBlank(word):
			c.Value = strings.TrimSpace(word)
		default:
			return Answer{}, fmt.Sprintf("%q is none of %s", word, q.values())
		}
		values = append(values, c.Value)
	}
	a.Text, a.Value = strings.Join(values, ", "), jsonOf(values)
	if !q.Many {
		a.Value = jsonOf(values[0])
	}
	return a, ""
}

// choice finds the choice that a word means: by its value or label, letter by
// letter or else without regard to case, spaces, underscores and hyphens.
func (q *Question) choice(word string) (Choice, bool) {
	names := make([][]string, len(q.Choices))
	for i, c := range q.Choices {
		names[i] = []string{c.Value, c.Label}
	}
	i, ok := meant(word, names)
	if !ok {
		return Choice{}, false
	}
	return q.Choices[i], true
}

// values lists the choices for a message.
func (q *Question) values() string {
	var values []string
	for _, c := range q.Choices {
		values = append(values, c.Value)
	}
	return strings.Join(values, ", ")
}

// wordsOf reads a text, a number, true, false, or a list of them.
func wordsOf(data json.RawMessage) ([]string, bool) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	var words []string
	for _, item := range list {
		var word string
		item = bytes.TrimSpace(item)
		switch {
		case len(item) == 0 || item[0] == '{' || item[0] == '[' || item[0] == 'n':
			return nil, false
		case json.Unmarshal(item, &word) != nil:
			word = string(item)
		}
		words = append(words, word)
	}
	return words, true
}

// meant finds which of several things, each with its names, a word means: one
// that has the word as a name, or else the only one that has it written
// otherwise.
func meant(word string, names [][]string) (int, bool) {
	word = strings.TrimSpace(word)
	for i := range names {
		if word != "" && slices.Contains(names[i], word) {
			return i, true
		}
	}
	found := -1
	for i := range names {
		if !slices.ContainsFunc(names[i], func(n string) bool { return plainName(n) != "" && plainName(n) == plainName(word) }) {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = i
	}
	return found, found >= 0
}

// plainName is a name without case, spaces, underscores and hyphens.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}
