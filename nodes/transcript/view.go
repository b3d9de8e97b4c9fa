package transcript

import "github.com/graphrun/graphrun/state"

// View says for whom a projection is made. The zero View leaves everything as
// the profile takes it. A View may be used concurrently.
type View struct {
	// Agent is the agent that is asked. It matters with Retell.
	Agent string
	// Retell makes human messages of the other agents' turns: "[name] said: …".
	// Another agent's turn is an AI message with a name that is not Agent; the
	// results of its calls go with it.
	Retell bool
	// Brief is the task as a text. If the projection ends in a result, or in
	// what Retell made, the brief follows as a human message. Set it behind a
	// handoff; where it is not blank it also stands for the human message that
	// a profile needs in the end.
	Brief string
	// Interrupted is the text of results that are made for calls without one;
	// empty: a text that says that the call was interrupted.
	Interrupted string
}

// Project returns what a model of profile p may be sent of messages, and what
// was repaired for it, in the order of messages. Nil p is the zero Profile.
// messages is not changed; the projection shares the bytes of parts and arguments
// with it. It is never empty: a human message is made where nothing is left.
// The same arguments give the same projection. It may be called concurrently.
func Project(messages []state.Message, p *Profile) ([]state.Message, []Repair) {
	return View{}.Project(messages, p)
}

// Project is the function Project for this view.
func (v View) Project(messages []state.Message, p *Profile) ([]state.Message, []Repair) {
	if p == nil {
		p = &Profile{}
	}
	w := newWork(v, p, messages)
	w.clean()
	w.pair()
	if v.Retell {
		w.retell()
	}
	w.mendCalls()
	items := w.lay()
	items = w.filter(items)
	items = w.addBrief(items)
	items = w.merge(items)
	items = w.ends(items)
	out := make([]state.Message, len(items))
	for i := range items {
		out[i] = items[i].msg
	}
	return out, sorted(w.repairs)
}
