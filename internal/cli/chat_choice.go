package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// plainAsking takes a text, or any JSON.
type plainAsking struct {
	text  bool   // what is JSON is a text too
	spare string // what stands for an empty answer; "": nothing
	value any
}

func (p *plainAsking) next() string { return spareHint(p.spare) }

func spareHint(spare string) string {
	if spare == "" {
		return ""
	}
	return "  (an empty line is " + oneLine(spare) + ")"
}

func (p *plainAsking) take(line string) (bool, error) {
	switch blank := strings.TrimSpace(line) == ""; {
	case blank && p.spare != "":
		p.value = nil
	case blank && p.text:
		return false, errors.New("an answer is needed")
	case blank:
		return false, errors.New(`an answer is needed; "" is an empty text`)
	case p.text:
		p.value = line
	default:
		p.value = typedAnswer(line)
	}
	return true, nil
}

func (p *plainAsking) answer() any { return p.value }

// choiceAsking takes one of some values, or several, by themselves or by their
// numbers.
type choiceAsking struct {
	values []any
	many   bool   // several
	other  bool   // other texts too
	spare  string // what stands for an empty answer; "": nothing
	chosen any
}

// newChoiceAsking is false where there is nothing to choose from.
func newChoiceAsking(m map[string]any) (*choiceAsking, bool) {
	c := &choiceAsking{spare: spareText(m)}
	c.values, _ = m["choices"].([]any)
	c.many, _ = m["many"].(bool)
	c.other, _ = m["other"].(bool)
	return c, len(c.values) > 0
}

func (c *choiceAsking) next() string {
	rows := choiceRows(c.values)
	hint := ""
	switch {
	case c.many && c.other:
		hint = "  (several between commas, or a text)"
	case c.many:
		hint = "  (several between commas)"
	case c.other:
		hint = "  (or a text)"
	}
	for _, more := range []string{hint, spareHint(c.spare)} {
		if more != "" {
			rows = append(rows, more)
		}
	}
	return strings.Join(rows, "\n")
}

func choiceRows(values []any) []string {
	rows := make([]string, len(values))
	for i, v := range values {
		rows[i] = fmt.Sprintf("  %d. %s", i+1, oneLine(choiceText(v)))
		if m, ok := v.(map[string]any); ok {
			if about, ok := m["description"].(string); ok && about != "" {
				rows[i] += " – " + oneLine(about)
			}
		}
	}
	return rows
}

// choiceText is a choice as people read it.
func choiceText(v any) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"label", "title", "name", "value"} {
			if text, ok := m[key].(string); ok && text != "" {
				return text
			}
		}
	}
	return valueText(v)
}

// choiceValue is what a choice answers.
func choiceValue(v any) any {
	if m, ok := v.(map[string]any); ok && m["value"] != nil {
		return m["value"]
	}
	return v
}

func (c *choiceAsking) take(line string) (bool, error) {
	line = strings.TrimSpace(line)
	if line == "" && c.spare != "" {
		c.chosen = nil
		return true, nil
	}
	one, err := c.one(line)
	if err == nil || !c.many {
		c.chosen = one
		return err == nil, err
	}
	var all []any
	for part := range strings.SplitSeq(line, ",") {
		if one, err = c.one(strings.TrimSpace(part)); err != nil {
			return false, err
		}
		all = append(all, one)
	}
	c.chosen = all
	return true, nil
}

// one is the value that a word stands for.
func (c *choiceAsking) one(word string) (any, error) {
	i, err := pick(word, c.values)
	switch {
	case err == nil:
		return choiceValue(c.values[i]), nil
	case c.other && word != "" && (!c.many || !strings.Contains(word, ",")):
		return word, nil
	}
	return nil, err
}

func (c *choiceAsking) answer() any { return c.chosen }

// pick finds the choice that a line means: its text or value, letter by letter or
// else without regard to case, before its number.
func pick(line string, values []any) (int, error) {
	var names []string
	for _, v := range values {
		names = append(names, choiceText(v))
	}
	of := func(same func(a, b string) bool) int {
		return slices.IndexFunc(values, func(v any) bool { return same(choiceText(v), line) || same(valueText(choiceValue(v)), line) })
	}
	if i := of(func(a, b string) bool { return a == b }); i >= 0 {
		return i, nil
	}
	if i := of(strings.EqualFold); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(values) {
		return n - 1, nil
	}
	return 0, fmt.Errorf("%q is none of the %d choices; give a number or the text%s", line, len(values), didYouMean(line, names))
}
