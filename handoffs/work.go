package handoffs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"
)

// work is one step of a Manager on copies of a desk and its frames.
type work struct {
	m   *Manager
	p   *Policy
	ctx context.Context
	in  *Batch
	d   *Desk
	out Result
	now time.Time

	frames  []*Frame           // of the desk, with their turns
	turns   map[string][]given // what the frames' turns emitted, by frame
	outside []given            // from users and signals
	stale   []given
	ended   []*Frame // whose agents had a turn
	ready   []*Frame // whose agents get a turn
	ids     int
	took    time.Duration // the longest turn, for a virtual clock
	seen    Desk          // what view returned

	planHolds bool // nothing falls due before the plan goes on
	room      *room
}

// given is a command or signal that was emitted.
type given struct {
	x       *Execution
	command Command
	signal  *Signal
	err     error         // it could not be read
	rule    *Rule         // that made it
	after   time.Duration // how long it waits before it begins
	because []string      // how rules came to it
	id      string        // of its handoff, where it is known before
	rescue  bool          // it stands in for something that failed: if it fails too the run does
	step    *StepRoot     // of a plan that begins with it
}

// edge is the edge of the rule that made a handoff; nil if none did.
func (g *given) edge() *Edge {
	if g.rule == nil {
		return nil
	}
	e := g.rule.edge()
	e.Name = "rule " + g.rule.Name
	return e
}

func (g *given) why() []string { return g.because }

func (m *Manager) open(ctx context.Context, in *Batch) *work {
	room := m.takeRoom()
	w := &room.work
	*w = work{m: m, p: &m.p, ctx: ctx, in: in, d: in.Desk.clone(), room: room, frames: room.frames, ready: room.ready, ended: room.ended}
	room.own = append(room.own, w.d.Frames...)
	for i := range room.own {
		w.frames = append(w.frames, &room.own[i])
	}
	for _, f := range w.frames {
		if f.State == FrameReady {
			f.State, w.ready = FrameRunning, append(w.ready, f)
		}
	}
	if len(w.frames) == 0 {
		w.first()
	}
	if in.Breakers != nil {
		w.d.Breakers = maps.Clone(in.Breakers)
	}
	w.now = in.Now
	if !w.p.Virtual.IsZero() {
		w.now = w.p.Virtual.Add(w.d.Clock)
	}
	w.speak(in.Speaker)
	w.read()
	return w
}

func (d *Desk) clone() *Desk {
	if d == nil {
		return &Desk{}
	}
	c := *d
	c.Counts, c.Breakers = maps.Clone(d.Counts), maps.Clone(d.Breakers)
	c.Queue, c.Parked, c.Groups = slices.Clone(d.Queue), slices.Clone(d.Parked), slices.Clone(d.Groups)
	for i := range c.Groups {
		c.Groups[i].Parts = slices.Clone(c.Groups[i].Parts)
	}
	c.Signals = slices.Clip(d.Signals)
	return &c
}

// first makes the frame of the agent that begins.
func (w *work) first() {
	agent := cmp.Or(w.in.Speaker, w.d.Owner, w.p.Entry)
	f := w.newFrame(agent)
	if p, ok := w.p.Registry.Get(agent); ok {
		f.Limits.Turns = p.Turns
	}
	f.State = FrameInput
	if !w.in.Started { // its first turn is over
		f.State, f.Turns = FrameRunning, 1
		w.d.countTurn()
	}
	w.frames = append(w.frames, f)
	if w.d.Active == "" {
		w.d.Owner = agent
		w.setActive(agent)
		w.d.Class, w.d.Machine = w.p.Class, w.machineStart()
	}
}

func (w *work) machineStart() string {
	if w.p.Machine == nil {
		return ""
	}
	return w.p.Machine.Start
}

func (w *work) newFrame(agent string) *Frame {
	w.d.Made++
	return &Frame{ID: "f" + strconv.Itoa(w.d.Made), Agent: agent}
}

// frame returns an open frame; nil if there is none of this id.
func (w *work) frame(id string) *Frame {
	for _, f := range w.frames {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// open reports whether a frame is still one of the desk's.
func (w *work) isOpen(f *Frame) bool { return slices.Contains(w.frames, f) }

func (w *work) remove(f *Frame) {
	w.dropThen(f)
	w.frames = slices.DeleteFunc(w.frames, func(o *Frame) bool { return o == f })
	w.ready = slices.DeleteFunc(w.ready, func(o *Frame) bool { return o == f })
}

// replace puts a frame in the place of another one.
func (w *work) replace(old, with *Frame) {
	w.dropThen(old)
	for i, f := range w.frames {
		if f == old {
			w.frames[i] = with
		}
	}
	w.ready = slices.DeleteFunc(w.ready, func(o *Frame) bool { return o == old })
}

// chargeTurns notes whose turns have ended and what they cost, also those that
// will be found too late.
func (w *work) chargeTurns() {
	for _, f := range w.frames {
		if f.State != FrameRunning || slices.Contains(w.ready, f) {
			continue
		}
		w.ended = append(w.ended, f)
		gs := w.turns[f.ID]
		for i := range gs {
			g := &gs[i]
			if g.err == nil && g.command.Usage != (Usage{}) {
				charge(&w.d.Spent, f, w.frame, g.command.Usage)
				w.countN("tokens:"+f.Agent, g.command.Usage.Tokens)
			}
		}
	}
}

// root returns the frame that the user talks to.
func (w *work) root() *Frame {
	for _, f := range w.frames {
		if f.Caller == "" && !f.Detached {
			return f
		}
	}
	return nil
}

// id makes the next id of this step.
func (w *work) id() string {
	w.ids++
	return newID(w.p.Upper, w.in.Session, w.in.Task, strconv.Itoa(w.ids))
}

// close puts the frames back and gives the turns out.
func (w *work) close() *Result {
	for _, gs := range w.turns {
		if len(gs) > 0 {
			w.leftOver()
			break
		}
	}
	for _, g := range w.stale {
		w.tooLate(&g)
	}
	for _, f := range w.frames { // in their order, so that texts come in the order in which turns are looked at
		switch {
		case !slices.Contains(w.ready, f):
		case w.over():
			w.unready(f)
		case w.in.Hold && len(w.d.Ends) > 0:
			f.State = FrameReady
		default:
			w.out.Turns = append(w.out.Turns, w.turn(f))
		}
	}
	w.d.Said = w.in.Messages
	if n := len(w.d.Fired); n > mostSignals {
		w.d.Fired = w.d.Fired[n-mostSignals:]
	}
	w.d.Frames = make([]Frame, 0, len(w.frames))
	for _, f := range w.frames {
		w.d.Frames = append(w.d.Frames, *f)
	}
	if !w.p.Virtual.IsZero() {
		w.d.Clock = w.now.Sub(w.p.Virtual)
	}
	if w.d.Fault != nil {
		r := w.d.Fault
		w.out.Fault = &Error{Code: r.Code, Codes: r.Codes, Handoff: r.Handoff, From: w.d.Active, To: r.Target, Message: r.Message}
	}
	w.out.Desk = w.d
	w.room.frames, w.room.ready, w.room.ended = w.frames, w.ready, w.ended
	out := w.out
	return &out
}

// leftOver makes what was emitted by turns that nobody looked at come too late.
func (w *work) leftOver() {
	for _, id := range sortedKeys(w.turns) {
		w.stale = append(w.stale, w.turns[id]...)
	}
}

// over tells that the run ends with this step.
func (w *work) over() bool { return w.d.Fault != nil || w.d.Ended }

// unready takes back a turn that is not given, because the run ends.
func (w *work) unready(f *Frame) {
	f.Turns--
	f.Epoch--
	w.d.Counts[countTurns]--
	f.State = FrameInput
}

// entry returns this step's entry of a handoff, a new one if it has none.
func (w *work) entry(handoff, from, to string, kind Kind) *Entry {
	for i := range w.out.Entries {
		if e := &w.out.Entries[i]; e.Handoff == handoff && e.Event == "" && handoff != "" {
			if to != "" {
				e.To = to
			}
			return e
		}
	}
	return w.add(Entry{Handoff: handoff, From: from, To: to, Kind: kind})
}

// add appends an entry.
func (w *work) add(e Entry) *Entry {
	w.d.Seq++
	e.Seq, e.At = w.d.Seq, w.now
	if w.out.Entries == nil {
		w.out.Entries = make([]Entry, 0, 3) // as a transfer has
	}
	w.out.Entries = append(w.out.Entries, e)
	return &w.out.Entries[len(w.out.Entries)-1]
}

// tooLate notes something that came from a turn that is over.
func (w *work) tooLate(g *given) {
	e := w.add(Entry{Event: EventStale, Code: CodeStale, From: g.x.Agent, To: g.command.Target, Kind: g.command.kind()})
	e.Message = w.p.text(CodeStale, "source", g.x.Agent, "target", g.command.Target)
	w.reply(g, g.x.Agent, e.Message, true)
}

// setOwner gives an agent the conversation. A user's choice of another one is
// over then.
func (w *work) setOwner(agent string) {
	w.d.Owner = agent
	if chosen := w.d.Directed; chosen != nil && chosen.Target != agent {
		w.d.Mode, w.d.Directed = "", nil
	}
}

// setActive makes an agent the active one.
func (w *work) setActive(agent string) {
	if w.d.Active == agent {
		return
	}
	before := w.d.Active
	w.d.Active, w.d.Identity = agent, nil
	if p, ok := w.p.Registry.Get(agent); ok {
		id := p.Identity()
		w.d.Identity = &id
	}
	if before != "" {
		w.out.Notices = append(slices.Grow(w.out.Notices, 2), &AgentChanged{From: before, To: agent, Identity: w.d.Identity})
	}
}

// push appends to a list that others may see, without writing into its array.
func push[T any](list []T, items ...T) []T { return append(slices.Clip(list), items...) }

// with returns a list that has an item, at its end if it had not.
func with[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return push(list, item)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
