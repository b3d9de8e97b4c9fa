package crash_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// instant is when a process with agents dies.
type instant int

const (
	beforeKeeping instant = iota // the store was given something
	afterKeeping                 // and has it
	toolCalled                   // a tool has not worked yet
	toolWorked                   // and what it did is not kept
	personAsked                  // the thread rests with a question
	modelAsked                   // a request has come, and is not answered; from here on the parent kills
	modelHalfway                 // half of the answer is sent
	modelAnswered                // all of it is
)

var instantNames = [...]string{"before", "after", "tool called", "tool worked", "person asked", "model asked", "model halfway", "model answered"}

// hit is the N-th of some instants, from 1 on; 0: never.
type hit struct {
	When instant
	N    int64
}

func (h hit) String() string { return fmt.Sprint(instantNames[h.When], " ", h.N) }

// stage is where an errand is played: in a child, or undisturbed in the parent.
type stage struct {
	Errand string
	Dir    string // of the file, the effects of tools and what was kept
	URL    string // of the models' server, other in each life
	Life   int    // which process it is, from 1 on
	Mode   graph.Durability
	Hit    hit

	count [len(instantNames)]atomic.Int64
	mu    sync.Mutex
}

// meet counts an instant, and dies at the one that is to be hit.
func (s *stage) meet(when instant) {
	if n := s.count[when].Add(1); when == s.Hit.When && n == s.Hit.N {
		(&death{}).die()
	}
}

// effect is what a tool does to the world. It says what its having been done is
// known by once it is kept.
func (s *stage) effect(name string) (string, error) {
	s.meet(toolCalled)
	l := &ledger{path: s.Dir, turn: s.Life}
	if err := l.note(effectCall, name); err != nil {
		return "", err
	}
	s.meet(toolWorked)
	return keptEffect(name), nil
}

func keptEffect(name string) string { return "effect of " + name }

// tool makes one whose effect has the name of the tool and the id of the call.
func (s *stage) tool(name string) nodes.Tool {
	return nodes.MustTool(name, "Does "+name+".", func(ctx context.Context, _ map[string]any) (string, error) {
		call, ok := nodes.CallOf(ctx)
		if !ok {
			return "", errors.New("there is no call")
		}
		return s.effect(name + ":" + call.ID)
	})
}

// bookTool is a tool that has an effect, asks, and has another one.
func (s *stage) bookTool() nodes.Tool {
	return nodes.MustTool("book", "Books a room.", func(ctx context.Context, in struct{ City string }) (string, error) {
		call, _ := nodes.CallOf(ctx)
		kept, err := graph.Once(ctx, "reserve "+call.ID, func(context.Context) (string, error) { return s.effect("reserve:" + call.ID) })
		if err != nil {
			return "", err
		}
		answer, err := graph.Interrupt[string](ctx, "sure "+call.ID, "Sure about "+in.City+"?")
		if err != nil {
			return "", err
		}
		done, err := s.effect("book:" + call.ID)
		return fmt.Sprintf("%s; %s; %s", kept, answer, done), err
	})
}

// play makes runs until nothing is left to do.
func (s *stage) play(ctx context.Context, store checkpoint.Store) error {
	e, err := errandOf(s.Errand)
	if err != nil {
		return err
	}
	g, err := e.make(s)
	if err != nil {
		return err
	}
	g = g.On(noting{store, s}, nil)
	for range mostTurns {
		if done, err := s.turn(ctx, e, g); done || err != nil {
			return err
		}
	}
	return fmt.Errorf("the errand is not done after %d runs", mostTurns)
}

// turn makes one run, and reports whether there was nothing left to do. Of several
// questions the first one is answered.
func (s *stage) turn(ctx context.Context, e *errand, g *graph.Graph[Desk]) (done bool, err error) {
	cfg := &graph.RunConfig{Thread: thread, Durability: s.Mode}
	said, snap := 0, &graph.Snapshot[Desk]{}
	for at, err := range g.History(ctx, thread, nil) {
		if err != nil && !errors.Is(err, graph.ErrUnknown) {
			return false, err
		}
		if err == nil && at.Source == "input" {
			said++
		}
	}
	if said > 0 {
		if snap, err = g.State(ctx, thread, ""); err != nil {
			return false, err
		}
	}
	switch {
	case len(snap.Interrupts) > 0:
		q := snap.Interrupts[0]
		err = drain(g.StreamResume(ctx, graph.AnswerByID(map[string]any{q.ID: answerTo(q)}), cfg))
	case len(snap.Tasks) > 0:
		err = drain(g.StreamResume(ctx, graph.Answers{}, cfg))
	case said == len(e.says):
		return true, nil
	default:
		m := state.Text(state.RoleHuman, e.says[said])
		m.ID = fmt.Sprint("said-", said)
		err = drain(g.Stream(ctx, graph.Input(deskTeam.Messages.Add(m)), cfg))
	}
	if errors.Is(err, graph.ErrInterrupted) && !errors.Is(err, graph.ErrStore) {
		s.meet(personAsked)
		return false, nil
	}
	return false, err
}

// answerTo is what people say to a question.
func answerTo(q graph.Question) any {
	fields, _ := q.Value.(map[string]any)
	switch {
	case fields["action_requests"] != nil:
		return "approve"
	case fields != nil:
		return "With a view."
	}
	return fmt.Sprint("Yes: ", q.Value)
}
