package crash_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// scenarios is where the files of sessions are.
const scenarios = "../../testdata/handoffs"

// sessions are the scenarios that are disturbed, each with what people answer
// when it asks.
var sessions = []struct{ file, answer string }{
	{"X-27.txt", ""},          // five agents; quotes come as signals
	{"X-31.txt", ""},          // what fails is tried again, twice, later and later
	{"X-31-always.txt", ""},   // and given up at last
	{"X-33.txt", ""},          // a timer fires
	{"X-34.txt", ""},          // a mail that is sent again
	{"X-25.yaml", ""},         // side by side; one of them waits
	{"X-25-partial.yaml", ""}, // one of them fails
	{"X-25-conflict.yaml", ""},
	{"X-25-arbiter.yaml", ""}, // an agent decides what two have written
	{"X-39.yaml", ""},         // two calls in a row
	{"X-40.yaml", ""},         // a call that fails
	{"X-24.yaml", "YES"},      // a person approves
	{"X-53.yaml", "approve"},  // a person approves calls within branches
}

// play is a session on a thread, taken to its end turn by turn.
type play struct {
	file   *graphfile.File
	input  string
	answer string
	mode   graph.Durability
	post   *post
	death  *death // nil: none
}

// newPlay reads a session whose post is in a directory.
func newPlay(name, dir string, mode graph.Durability, d *death) (*play, error) {
	p := &play{mode: mode, post: &post{dir: dir}, death: d}
	for _, s := range sessions {
		if s.file == name {
			p.answer = s.answer
		}
	}
	text, err := os.ReadFile(filepath.Join(scenarios, name))
	if err != nil {
		return nil, err
	}
	try := firstTry.FindSubmatch(text)
	if try == nil {
		return nil, fmt.Errorf("%s says nothing to try", name)
	}
	p.input = string(try[2])
	p.file, err = graphfile.Load(filepath.Join(scenarios, string(try[1])), nil)
	return p, err
}

var firstTry = regexp.MustCompile(`# Try: graphrun run (\S+)(?: --input '(.*)')?\n`)

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

// turn begins the session or goes on with it, and reports whether it was over.
// Of several questions it answers the last one.
func (p *play) turn(ctx context.Context, s checkpoint.Store) (over bool, err error) {
	g, cfg := p.file.Graph().On(s, nil), &graph.RunConfig{Thread: thread, Durability: p.mode}
	snap, err := g.State(ctx, thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		var in []state.Write[state.Record]
		if p.input != "" {
			in, err = p.file.Input([]byte(p.input))
		}
		if p.input == "" || err == nil {
			err = p.follow(ctx, s, g.Stream(ctx, in, cfg))
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	answers := graph.Answers{}
	if n := len(snap.Interrupts); n > 0 {
		answers = graph.AnswerByID(map[string]any{snap.Interrupts[n-1].ID: p.answer})
	} else if len(snap.Tasks) == 0 {
		return true, nil
	}
	return false, p.follow(ctx, s, g.StreamResume(ctx, answers, cfg))
}

// follow reads the events of a run, and tells others of each step that is kept.
func (p *play) follow(ctx context.Context, s checkpoint.Store, events func(func(graph.Event, error) bool)) error {
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
