package nodes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// turn is a turn of an agent at work. It is for one goroutine.
type turn struct {
	*core
	ctx          context.Context
	cancel       context.CancelFunc
	info         graph.TaskInfo
	seat         *handoffs.Seat                           // nil: in no team
	redact       func(handoffs.Command) *handoffs.Command // of the team
	prefix       string                                   // of its keys and ids, where the task has other turns
	instructions string
	all          []state.Message // the conversation
	given        []state.Message // what the agent is given of it
	ways         ways            // to hand over

	made     []state.Message      // what the turn adds
	ran      []handoffs.Execution // of its tools
	commands []asked              // that its model asked for
	nudges   []state.Message      // what the model was told beside the conversation
	value    []byte               // of the answer, if it has a schema
	spent    model.Usage
	calls    int // of the model
	theirs   int // calls of models that its tools made, and for summaries
	used     int // calls of tools
	round    int // answers of the model so far, kept ones too
	ids      map[string]bool
	wrong    int    // answers in a row that were of no use
	last     bool   // it was asked to end
	edited   bool   // a person has changed a call
	speaker  string // whose calls these are, where it is no agent's turn
}

// asked is a command, and the tool call that asked for it; "": none.
type asked struct {
	call    string
	command handoffs.Command
}

// begin takes the turn's context.
func (t *turn) begin(ctx context.Context) {
	t.ctx, t.cancel = ctx, func() {}
	if t.limits.Time > 0 {
		t.ctx, t.cancel = context.WithTimeoutCause(ctx, t.limits.Time, &Exceeded{Agent: t.agent(), What: "time", Limit: t.limits.Time.String()})
	}
	t.ids = map[string]bool{}
	for i := range t.all {
		for j := range t.all[i].ToolCalls {
			t.ids[t.all[i].ToolCalls[j].ID] = true
		}
	}
	t.ways = t.findWays()
}

func (t *turn) close() { t.cancel() }

// run asks the model until it has answered or handed over.
func (t *turn) run() error {
	for {
		if err := t.spentAll(); err != nil {
			return err
		}
		a, err := t.askModel()
		if err != nil {
			return err
		}
		if done, err := t.take(a); done || err != nil {
			return err
		}
	}
}

// take does what an answer asks for, and reports whether the turn is over.
func (t *turn) take(a *answer) (bool, error) {
	m := t.message(a)
	if len(m.ToolCalls) == 0 {
		return t.answered(m)
	}
	t.wrong, t.nudges = 0, nil
	t.made = append(t.made, m)
	plain, hands := t.sortCalls(m.ToolCalls)
	ends, err := t.runTools(plain)
	if err != nil {
		return false, err
	}
	if ends {
		t.answerByTool(plain)
	}
	for i := range hands {
		if err := t.handOver(&hands[i]); err != nil {
			return false, err
		}
	}
	return ends || len(t.commands) > 0, nil
}

// message makes the agent's message of an answer.
func (t *turn) message(a *answer) state.Message {
	m := a.Message
	m.ID, m.Name, m.Time = a.id, t.agent(), a.At
	ids := t.callIDs(t.round - 1)
	for i := range m.ToolCalls {
		m.ToolCalls[i].ID = ids.next(m.ToolCalls[i].ID)
	}
	maps.Copy(t.ids, ids.taken)
	return m
}

// callIDs gives the calls of an answer ids that the conversation does not have:
// providers leave them out, or use them again.
type callIDs struct {
	turn  *turn
	round int // of the answer
	n     int // calls so far
	taken map[string]bool
}

func (t *turn) callIDs(round int) *callIDs {
	return &callIDs{turn: t, round: round, taken: map[string]bool{}}
}

// next is the id of the next call, which is its own if that will do. Where other
// turns are at work beside this one it will not: they do not know of each other.
func (c *callIDs) next(id string) string {
	if strings.TrimSpace(id) == "" || c.turn.amongOthers() || c.turn.ids[id] || c.taken[id] {
		id = c.turn.id(fmt.Sprintf("call:%d:%d", c.round, c.n), "call_")
	}
	c.n++
	c.taken[id] = true
	return id
}

// amongOthers reports whether the team has several turns at work.
func (t *turn) amongOthers() bool {
	if t.seat == nil {
		return false
	}
	n := 0
	for i := range t.seat.Desk.Frames {
		if t.seat.Desk.Frames[i].State == handoffs.FrameRunning {
			n++
		}
	}
	return n > 1
}

// agent is the name that the turn's messages have.
func (t *turn) agent() string {
	if t.seat != nil {
		return t.seat.Turn.Agent
	}
	return cmp.Or(t.speaker, t.name, t.info.Node)
}

// now is the time of what the turn adds.
func (t *turn) now() time.Time {
	switch {
	case t.seat != nil && !t.seat.Policy.Virtual.IsZero():
		return t.seat.Now
	case t.clock != nil:
		return t.clock()
	}
	return time.Now().UTC()
}

// key makes a key of the task.
func (t *turn) key(format string, of ...any) string { return t.prefix + fmt.Sprintf(format, of...) }

// id makes an id that is the same whenever the task runs.
func (t *turn) id(of, prefix string) string {
	return stableID(t.info, t.prefix+of, prefix)
}

// stableID makes an id that is the same whenever a task runs.
func stableID(info graph.TaskInfo, of, prefix string) string {
	sum := sha256.Sum256([]byte(info.Thread + "\x00" + info.Task + "\x00" + of))
	return prefix + hex.EncodeToString(sum[:12])
}

// usage is what the turn cost, as a team counts it.
func (t *turn) usage() handoffs.Usage {
	return handoffs.Usage{Tokens: t.spent.Total(), Calls: t.calls + t.theirs}
}

// executions are the tool executions that the turn adds to a team's state. The
// first command tells what the turn cost.
func (t *turn) executions() ([]handoffs.Execution, error) {
	usage := t.usage()
	if len(t.commands) == 0 && usage != (handoffs.Usage{}) {
		t.commands = []asked{{command: handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Report}}}
	}
	xs := t.ran
	for i := range t.commands {
		c := &t.commands[i]
		if i == 0 {
			c.command.Usage = usage
		}
		id := cmp.Or(c.call, t.id(fmt.Sprintf("command:%d", i), "exec_"))
		x, err := t.seat.Execution(id, c.call != "", t.redact(c.command))
		if err != nil {
			return nil, err
		}
		x.At = t.now()
		xs = append(xs, x)
	}
	return xs, nil
}
