package handoffs

import "slices"

// payloads looks for rules whose payload is not what the edge between their
// agents asks for.
func (l *linting) payloads() {
	for i := range l.rules {
		r := &l.rules[i]
		told := map[*Edge]bool{}
		for _, from := range orAll(r.From, l.p) {
			for _, to := range l.p.targets(r) {
				e := l.between(r, from, to)
				if e == nil || told[e] || r.Payload == nil {
					continue
				}
				told[e] = true
				l.payload(r, e, []string{from, to})
			}
		}
	}
}

// between returns the edge that a command with a rule's kind and reason would
// take; nil: none.
func (l *linting) between(r *Rule, from, to string) *Edge {
	for i := range l.p.Edges {
		e := &l.p.Edges[i]
		if admits(e.From, from) && slices.Contains(l.p.leads(e), to) && coversAll(e.Kinds, []Kind{r.kind()}) && coversAll(e.Reasons, []Reason{r.Reason}) {
			return e
		}
	}
	return nil
}

// payload compares what a rule makes with what an edge asks for.
func (l *linting) payload(r *Rule, e *Edge, path []string) {
	makes := map[string]*PayloadField{}
	for i := range r.Payload {
		makes[r.Payload[i].Key] = &r.Payload[i].PayloadField
	}
	asked := map[string]bool{}
	for i := range e.Payload {
		want := &e.Payload[i]
		asked[want.Key] = true
		have := makes[want.Key]
		switch {
		case have == nil && !want.Optional:
			l.add(DefectPayload, r.Place, path, "rule %s makes no %q, which %s asks for", r.Name, want.Key, e.title())
		case have == nil:
		case have.Optional && !want.Optional:
			l.add(DefectPayload, r.Place, path, "rule %s need not make %q, which %s asks for", r.Name, want.Key, e.title())
		case !fitsType(have.Type, want.Type):
			l.add(DefectPayload, r.Place, path, "rule %s makes %q a %s, %s asks for a %s", r.Name, want.Key, have.Type, e.title(), want.Type)
		}
	}
	for i := range r.Payload {
		if key := r.Payload[i].Key; e.Closed && e.Payload != nil && !asked[key] {
			l.add(DefectPayload, r.Place, path, "rule %s makes %q, which %s does not know", r.Name, key, e.title())
		}
	}
}

// fitsType reports whether a value of one type may be of another one.
func fitsType(have, want string) bool {
	any := func(t string) bool { return t == "" || t == "any" }
	return any(have) || any(want) || have == want || have == "int" && want == "float"
}
