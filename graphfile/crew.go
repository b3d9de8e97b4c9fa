package graphfile

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// crew is what the scripts of a graph's agents have in common. It does not
// change once the team is made.
type crew struct {
	team   *handoffs.Team[record]
	schema *state.RecordSchema
	began  time.Time // of a virtual clock; zero: time passes by itself
	agents []*nodes.Agent[record]
}

// join tells the agents which team they are in.
func (c *crew) join(t *handoffs.Team[record]) {
	c.team = t
	for _, a := range c.agents {
		a.Join(t)
	}
}

// now is the time at the end of a turn that takes so long.
func (c *crew) now(r *record, takes time.Duration) time.Time {
	if c.began.IsZero() {
		return time.Now().UTC()
	}
	desk, _ := r.Get("handoffs")
	fields, _ := desk.(map[string]any)
	passed, _ := fields["clock"].(int64)
	return c.began.Add(time.Duration(passed) + takes)
}

// node makes a script the work of an agent.
func (c *crew) node(s *team.Script) graph.Node[record] {
	return func(ctx context.Context, r record) (graph.Command[record], error) {
		in, err := c.in(r)
		if err != nil {
			return graph.Command[record]{}, err
		}
		done, err := s.Run(ctx, in)
		if err != nil {
			return graph.Command[record]{}, err
		}
		return c.command(ctx, in, done)
	}
}

// in is what a turn begins with.
func (c *crew) in(r record) (*team.In, error) {
	in := &team.In{Record: r, Virtual: !c.began.IsZero(), Messages: func() ([]state.Message, error) { return c.team.Context(r) }}
	return in, turnOf(&r, &in.Turn)
}

// turnOf reads what a task is told about its turn.
func turnOf(r *record, turn *handoffs.Turn) error {
	value, ok := r.Get("turn")
	if !ok || value == nil {
		return nil
	}
	data, err := state.AppendAny(nil, value)
	if err != nil {
		return err
	}
	return state.ParseInto(data, turn)
}

// command makes the command of a turn.
func (c *crew) command(ctx context.Context, in *team.In, done *team.Done) (graph.Command[record], error) {
	info, err := graph.Task(ctx)
	if err != nil {
		return graph.Command[record]{}, err
	}
	s := newSpeech(&in.Turn, info, c.now(&in.Record, done.Usage.Time))
	for i := range done.Tools {
		if err := s.tool(&done.Tools[i]); err != nil {
			return graph.Command[record]{}, err
		}
	}
	s.settle()
	for _, text := range done.Say {
		s.say(text)
	}
	for _, command := range withUsage(done) {
		if err := s.hand(c.team.Manager().Redacted(command)); err != nil {
			return graph.Command[record]{}, err
		}
	}
	s.settle()
	writes, err := handoffs.Records{Schema: c.schema}.Write(&handoffs.Update{Messages: s.messages, Executions: s.executions})
	return graph.Commands[record]{}.Update(append(done.Writes, writes...)...), err
}

// withUsage are the commands of a turn, of which the first tells what it cost.
func withUsage(done *team.Done) []handoffs.Command {
	if done.Usage == (handoffs.Usage{}) {
		return done.Commands
	}
	commands := done.Commands
	if len(commands) == 0 {
		commands = []handoffs.Command{{Type: handoffs.CommandType, Kind: handoffs.Report}}
	}
	commands[0].Usage = done.Usage
	return commands
}
