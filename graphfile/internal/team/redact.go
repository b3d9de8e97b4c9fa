package team

import (
	"regexp"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
)

// mostPattern is the longest pattern of a secret, in bytes.
const mostPattern = 512

// redact reads what is taken out of stored texts: true for secrets that are
// known by their form, or patterns.
func (r *reader) redact(f *source.Fields) handoffs.Redactor {
	if n := f.Take("redact"); n.Kind == source.Bool {
		if !n.Bool {
			return nil
		}
		return handoffs.DefaultRedactor()
	}
	var patterns []*regexp.Regexp
	for _, n := range f.OneOrMany("redact") {
		text, ok := r.Rep.Text(n, `"redact"`)
		if !ok {
			continue
		}
		p, err := regexp.Compile(text)
		switch {
		case len(text) > mostPattern:
			r.Rep.Errorf(n.Pos, "the pattern has %d bytes, at most %d are allowed", len(text), mostPattern)
		case err != nil:
			r.Rep.Errorf(n.Pos, "the pattern cannot be read: %v", err)
		case p.MatchString(""):
			r.Rep.Errorf(n.Pos, "the pattern %q matches the empty text", text)
		default:
			patterns = append(patterns, p)
		}
	}
	return handoffs.NewRedactor(patterns...)
}
