package crash_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// play is a session on a thread, taken to its end turn by turn.
type play struct {
	scenario
	file  *graphfile.File
	input string
	mode  graph.Durability
	post  *post
	death *death // nil: none
}

// newPlay reads a session whose post is in a directory.
func newPlay(name, dir string, mode graph.Durability, d *death) (*play, error) {
	at := slices.IndexFunc(sessions, func(s scenario) bool { return s.file == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no session %q", name)
	}
	p := &play{scenario: sessions[at], mode: mode, post: &post{dir: dir}, death: d}
	path, input, err := p.open()
	if err != nil {
		return nil, err
	}
	p.input = input
	p.file, err = graphfile.Load(path, nil)
	return p, err
}

// finish makes turns until nothing is left to do.
func (p *play) finish(ctx context.Context, s checkpoint.Store) error {
	if p.death != nil {
		if err := p.death.rule(ctx, s); err != nil {
			return err
		}
		s = p.death
	}
	for range mostTurns {
		over, err := p.turn(ctx, s)
		if err == nil {
			err = p.tell(ctx, s)
		}
		if over || err != nil {
			return err
		}
	}
	return fmt.Errorf("the session is not done after %d turns", mostTurns)
}

// turn makes one run of the session, and reports whether it was over.
func (p *play) turn(ctx context.Context, s checkpoint.Store) (over bool, err error) {
	events, err := p.next(ctx, p.file.Graph().On(s, nil))
	if err != nil || events == nil {
		return err == nil, err
	}
	return false, p.follow(ctx, s, events)
}

// next begins the session or goes on with it; nil: it is over. Where it rests the
// user makes the next move; behind the last one, of several questions the last one
// is answered.
func (p *play) next(ctx context.Context, g *graph.Graph[state.Record]) (iter.Seq2[graph.Event, error], error) {
	cfg := &graph.RunConfig{Thread: thread, Durability: p.mode}
	snap, err := g.State(ctx, thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		in, err := p.first()
		return g.Stream(ctx, in, cfg), err
	}
	if err != nil {
		return nil, err
	}
	asks := len(snap.Interrupts)
	if asks == 0 && len(snap.Tasks) > 0 {
		return g.StreamResume(ctx, graph.Answers{}, cfg), nil
	}
	in, err := p.move(ctx, g, snap)
	switch {
	case err != nil:
		return nil, err
	case in != nil:
		return g.Stream(ctx, in, cfg), nil
	case asks > 0:
		return g.StreamResume(ctx, graph.AnswerByID(map[string]any{snap.Interrupts[asks-1].ID: p.answer}), cfg), nil
	}
	return nil, nil
}

// first is the input that the session begins with; nil: none.
func (p *play) first() ([]state.Write[state.Record], error) {
	if p.input == "" {
		return nil, nil
	}
	return p.file.Input([]byte(p.input))
}

// move is what the user does where the session rests: the inputs in the history
// tell how many moves there were. Nil: there is none left.
func (p *play) move(ctx context.Context, g *graph.Graph[state.Record], snap *graph.Snapshot[state.Record]) ([]state.Write[state.Record], error) {
	if len(p.moves) == 0 {
		return nil, nil
	}
	made := -1 // the first input is none
	for at, err := range g.History(ctx, thread, nil) {
		if err != nil {
			return nil, err
		}
		if at.Source == "input" {
			made++
		}
	}
	if made >= len(p.moves) {
		return nil, nil
	}
	if agent := p.moves[made]; agent != resume {
		return p.file.Team().Select(agent)
	}
	look, err := handoffs.Records{Schema: p.file.Schema()}.Look(&snap.Values)
	if err != nil {
		return nil, err
	}
	parked := look.Desk.Parked
	if len(parked) == 0 {
		return nil, errors.New("nobody was set aside")
	}
	return p.file.Team().Input(handoffs.Command{
		Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser, Reason: handoffs.UserRequest, Token: parked[len(parked)-1].Token,
	})
}

// follow reads the events of a run, and tells others of each step that is kept.
func (p *play) follow(ctx context.Context, s checkpoint.Store, events iter.Seq2[graph.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return expected(err)
		}
		if _, ok := e.(*graph.StepCommitted); ok {
			if err := p.tell(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// log reads the log of the handoffs that are kept; an empty one if there is no
// thread.
func (p *play) log(ctx context.Context, s checkpoint.Store) (handoffs.Log, error) {
	snap, err := p.file.Graph().On(s, nil).State(ctx, thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return handoffs.Log{}, nil
	}
	if err != nil {
		return handoffs.Log{}, err
	}
	look, err := handoffs.Records{Schema: p.file.Schema()}.Look(&snap.Values)
	return look.Log, err
}

// plans says what is wrong with the plans of the thread, if there are any.
func (p *play) plans(ctx context.Context, s checkpoint.Store) error {
	snap, err := p.file.Graph().On(s, nil).State(ctx, thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	plans, err := plansOf(p.file.Schema(), &snap.Values)
	if err != nil {
		return err
	}
	return plans.check()
}

// tell tells others what the log says that they were not told yet.
func (p *play) tell(ctx context.Context, s checkpoint.Store) error {
	log, err := p.log(ctx, s)
	if err != nil {
		return err
	}
	from, err := p.post.told()
	if err != nil {
		return err
	}
	outbox := handoffs.Outbox{Bus: p.post, Trace: p.post}
	before := p.post.lines
	next, err := outbox.Publish(ctx, thread, log, from)
	if err != nil || next == from {
		return err
	}
	if p.post.lines > before {
		p.death.meet(afterTelling)
	}
	return p.post.keep(next)
}
