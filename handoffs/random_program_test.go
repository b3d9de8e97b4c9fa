package handoffs_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// rndProgram is a random team: its policy, its agents, and what they do.
type rndProgram struct {
	Agents     []rndAgent // the first one begins
	Supervisor string
	Ladder     []string
	Cap        int // handoffs of the session
	Depth      int // of calls; 0: 16
	Misses     int // 0: 3
	Siblings   handoffs.Siblings
	Multiple   handoffs.Multiple
	Tokens     int // of the session; 0: any number
	Accept     time.Duration
	Edges      []rndEdge   // what no edge of these says is allowed
	Script     []rndSignal // by time
	Inputs     int         // how often the user says something
	Rude       bool        // agents that nobody called return too
	Tools      bool        // handoffs are tool calls of messages, which get answers
}

// rndEdge says more about handoffs from an agent to another; "" is any agent.
type rndEdge struct {
	From, To string
	Quota    int           // how often it may be taken; 0: as often as one likes
	Retry    int           // of a target that failed
	Wait     time.Duration // before the first retry
}

// rndSignal comes by itself.
type rndSignal struct {
	After time.Duration
	Type  string
}

// rndAgent is an agent and what it does in its turns.
type rndAgent struct {
	ID             string
	InOrder        bool // it does one thing after the other in each stay, and not what it likes
	Conversational bool
	Room           int // frames at once; 0: any number
	Turns          int // of a frame; 0: any number
	Does           []rndTurn
}

// rndTurn is what an agent does in a turn.
type rndTurn struct {
	Mute   bool   // it says nothing
	Fail   string // it fails with this error
	Takes  time.Duration
	Tokens int
	Ops    []rndOp
}

// rndOp is one thing that an agent asks for.
type rndOp struct {
	Kind     handoffs.Kind
	To       string
	Task     string
	Priority handoffs.Priority
	Budget   int           // tokens that the target may use of those of the source
	Most     int           // handoffs that the target may make
	For      time.Duration // of a wait; 0: for ever
	Signals  []string      // that a wait is for
	Count    int           // of signals
	Branches []rndOp
	Join     handoffs.Join
	Result   handoffs.Outcome
}

func (p *rndProgram) agent(id string) *rndAgent {
	i := slices.IndexFunc(p.Agents, func(a rndAgent) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &p.Agents[i]
}

// rndSight is what an agent sees in a turn.
type rndSight struct {
	Agent, From, Task, Branch string
	Called, Late              bool
	Number                    int
	Results                   []handoffs.CallResult
	Refused                   *handoffs.Refusal
	Signals                   []string
	Attempt                   int // from 2 on
}

// rndCalm is the last turn of a stay in which an agent may do what it likes.
const rndCalm = 3

// turn is what an agent does: it depends on all that it sees. Late in its stay
// it does the last thing in its list, so that programs end.
func (p *rndProgram) turn(s *rndSight) *rndTurn {
	does := p.agent(s.Agent).Does
	at := rndHash(s.String()) % uint32(len(does))
	if p.agent(s.Agent).InOrder {
		at = uint32(s.Number) - 1
	} else if s.Number > rndCalm {
		at = uint32(len(does))
	}
	at = min(at, uint32(len(does))-1)
	turn := does[at]
	if !s.Called && !p.Rude {
		turn.Ops = slices.DeleteFunc(slices.Clone(turn.Ops), func(o rndOp) bool { return o.Kind == handoffs.Return })
	}
	return &turn
}

func rndHash(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// String is what an agent says of what it sees.
func (s *rndSight) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d<%s", s.Agent, s.Number, s.From)
	if s.Called {
		b.WriteString(" called")
	}
	if s.Late {
		b.WriteString(" late")
	}
	for _, text := range []string{s.Task, s.Branch} {
		if text != "" {
			b.WriteString(" " + text)
		}
	}
	if s.Attempt > 0 {
		fmt.Fprintf(&b, " attempt %d", s.Attempt)
	}
	if s.Signals != nil {
		fmt.Fprintf(&b, " signals %v", s.Signals)
	}
	for i := range s.Results {
		b.WriteString(" [" + rndResult(&s.Results[i]) + "]")
	}
	if r := s.Refused; r != nil {
		fmt.Fprintf(&b, " !%s>%s", r.Code, r.Target)
	}
	return b.String()
}

// rndResult is what an agent sees of a result. Messages of the engine are not
// looked at.
func rndResult(r *handoffs.CallResult) string {
	text := strings.TrimSpace(r.Agent+" "+r.Task) + rndOutcome(&r.Outcome)
	for i := range r.Parts {
		p := &r.Parts[i]
		text += fmt.Sprintf(" %s=%s(%v%s)", p.Branch, p.Agent, p.Done, rndOutcome(&p.Outcome))
	}
	for _, c := range r.Conflicts {
		text += fmt.Sprintf(" %s:%s%s", c.Key, rndJSON(c.Values), c.Winner)
	}
	return text
}

func rndOutcome(o *handoffs.Outcome) string {
	text := " " + string(o.Status)
	if o.Code != "" {
		text += ":" + string(o.Code)
	}
	if o.Error != "" && (o.Code == "" || o.Code == handoffs.CodeFailed) {
		text += " " + o.Error
	}
	if o.Text != "" {
		text += fmt.Sprintf(" %08x", rndHash(o.Text))
	}
	if o.Value != nil {
		text += " " + rndJSON(o.Value)
	}
	if len(o.Outputs) > 0 {
		text += " " + rndJSON(o.Outputs)
	}
	if len(o.Missing) > 0 {
		text += " without " + strings.Join(o.Missing, ",")
	}
	if o.Turns > 0 {
		text += fmt.Sprintf(" in %d", o.Turns)
	}
	return text
}

func rndJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
