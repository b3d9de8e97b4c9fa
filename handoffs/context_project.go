package handoffs

import (
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// Project makes what an agent gets of the conversation, and tells what it is.
// It changes nothing and may return a part of the input's messages. Whatever the
// conversation looks like, every tool call in the result has exactly its result
// behind it, in the order of the calls, and there is no other result: calls that
// were not answered are left out, results that came late are moved.
//
// A conversation, or what is left of it, that does not end with a person's
// message gets the turn's task as its last one: something must be answered.
//
// A budget that does not suffice for what must be there is ErrContextBudget; a
// mode without its function, an unknown mode, and what Summarize and Custom
// return are errors too. A nil policy is the zero policy.
//
// Sent.Hash is that of the contents of what is sent: roles, names, texts and
// calls, without ids and times. Of ContextFull without a budget it begins with
// "ids:" and is of how many messages there are and of the first and last one, and
// Tokens is a quarter of the bytes: to read all of a conversation would cost
// more than the handoff. Sent.Left counts the messages that are not there
// themselves, also if a brief or a summary tells of them.
func (p *ContextPolicy) Project(in ContextInput) ([]state.Message, Sent, error) {
	if p == nil {
		p = &ContextPolicy{}
	}
	sent := Sent{Policy: p.mode(), Until: len(in.Messages)}
	base, later := in.split()
	if p.isWhole() {
		return in.whole(base, later, sent)
	}
	units, err := p.units(&in, base, later)
	if err == nil {
		units, err = p.fit(units)
	}
	if err != nil {
		return nil, sent, fmt.Errorf("context %q of agent %q: %w", sent.Policy, in.Turn.Agent, err)
	}
	out := joinUnits(units, &sent)
	measureContext(out, p.count(), &sent)
	return out, sent, nil
}

// note tells what an agent will get, for the record of a handoff.
func (p *ContextPolicy) note(in ContextInput) (*Sent, error) {
	_, sent, err := p.Project(in)
	return &sent, err
}

// noteWhole is note where a target gets all of a conversation in which nothing is
// to be mended, without making that; nil: note must be asked.
func (p *ContextPolicy) noteWhole(talk []state.Message, turn *Turn) *Sent {
	if !p.isWhole() || turn.Context != nil {
		return nil
	}
	size, ok := paired(talk)
	if !ok {
		return nil
	}
	sent := Sent{Policy: ContextFull, Until: len(talk), Hash: rangeHash(talk), Bytes: size}
	if turn.givesTask(talk) {
		sent.Bytes += len(turn.Task)
	}
	sent.Tokens = (sent.Bytes + 3) / 4
	return &sent
}

// isWhole reports whether all messages are given, whatever their size.
func (p *ContextPolicy) isWhole() bool { return p.mode() == ContextFull && p.Tokens <= 0 }

// whole returns all of a conversation, which is not copied if nothing is to be
// mended or added.
func (in *ContextInput) whole(base, later []state.Message, sent Sent) ([]state.Message, Sent, error) {
	talk, _ := pairMessages(base)
	own, _ := ownMessages(later, 0, in.Turn.Agent)
	sent.Left = len(in.Messages) - len(talk) - len(own)
	out := slices.Clip(talk)
	out = append(append(out, in.task(talk)...), own...)
	for i := range out {
		sent.Bytes += messageBytes(&out[i])
	}
	sent.Tokens = (sent.Bytes + 3) / 4
	sent.Hash = rangeHash(in.Messages)
	return out, sent, nil
}

func (p *ContextPolicy) mode() ContextMode {
	if p.Mode == "" {
		return ContextFull
	}
	return p.Mode
}

// last returns how many messages are given or quoted.
func (p *ContextPolicy) last() int {
	if p.Last == 0 {
		return 5
	}
	return max(0, p.Last)
}

// count returns the function that counts tokens.
func (p *ContextPolicy) count() func(string) int {
	if p.Count != nil {
		return p.Count
	}
	return func(text string) int { return (len(text) + 3) / 4 }
}

// split parts the conversation before the handoff from the agent's own since.
func (in *ContextInput) split() (base, later []state.Message) {
	base = in.Messages
	if s := in.Turn.Context; s != nil && s.Until >= 0 && s.Until < len(base) {
		base, later = base[:s.Until:s.Until], base[s.Until:]
	}
	return base, later
}

// task returns the task as a message for those to whom the conversation gives
// nothing to answer.
func (in *ContextInput) task(talk []state.Message) []state.Message {
	if !in.Turn.givesTask(talk) {
		return nil
	}
	return []state.Message{state.Text(state.RoleHuman, in.Turn.Task)}
}

// givesTask reports whether the task is to be answered, and not the last message
// of a conversation.
func (t *Turn) givesTask(talk []state.Message) bool {
	return t.Task != "" && (len(talk) == 0 || talk[len(talk)-1].Role != state.RoleHuman)
}

// contextUnit is what can only be given together: a message, or one with
// tool calls and their results.
type contextUnit struct {
	messages []state.Message
	must     bool // it is never left out
	from     int  // the place of its first message in the conversation; less than 0: it was made
}

// units returns all that the mode gives, whatever the budget.
func (p *ContextPolicy) units(in *ContextInput, base, later []state.Message) ([]contextUnit, error) {
	own := p.pin(unitsOf(ownMessages(later, len(base), in.Turn.Agent)), false)
	switch p.mode() {
	case ContextFull:
		return p.talkUnits(in, p.pin(unitsOf(pairMessages(base)), p.PinFirst), own), nil
	case ContextLast:
		return p.talkUnits(in, p.window(base), own), nil
	}
	pinned := p.pinnedUnits(base)
	switch p.mode() {
	case ContextBrief:
		return p.briefUnits(in, base, pinned, own), nil
	case ContextCustom:
		before := *in
		before.Messages = base
		return p.customUnits(before, pinned, own)
	}
	made, err := p.made(in, base)
	return slices.Concat(pinned, made, own), err
}

// talkUnits returns a conversation, the task if nothing else is to be
// answered, and what the agent said since.
func (p *ContextPolicy) talkUnits(in *ContextInput, talk, own []contextUnit) []contextUnit {
	var last []state.Message
	if len(talk) > 0 {
		last = talk[len(talk)-1].messages
	}
	for _, m := range in.task(last) {
		talk = append(talk, madeUnit(m))
	}
	return append(talk, own...)
}

func madeUnit(m state.Message) contextUnit {
	return contextUnit{messages: []state.Message{m}, must: true, from: -1}
}

// joinUnits returns the messages of units, and tells which of the conversation are
// there.
func joinUnits(units []contextUnit, sent *Sent) []state.Message {
	var out []state.Message
	sent.From, sent.Left = sent.Until, sent.Until
	for _, u := range units {
		out = append(out, u.messages...)
		if u.from >= 0 {
			sent.From = min(sent.From, u.from)
			sent.Left -= len(u.messages)
		}
	}
	switch sent.Policy {
	case ContextBrief, ContextSummary, ContextCustom:
		sent.From = 0
	}
	return out
}
