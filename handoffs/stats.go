package handoffs

import (
	"slices"
	"strings"
	"time"
)

// Stats are figures about the handoffs of a session. Its JSON form is the same
// whenever the log and the desk are; durations are in nanoseconds.
type Stats struct {
	Handoffs int            `json:"totalHandoffs"`   // asked for
	Pending  int            `json:"pendingHandoffs"` // of these: not decided yet, or not begun
	Running  int            `json:"runningHandoffs"` // begun and not ended
	Accepted int            `json:"acceptedHandoffs"`
	Statuses map[Status]int `json:"byStatus,omitempty"`
	Rejected map[Code]int   `json:"rejectionsByCode,omitempty"`

	Agents map[string]AgentStats `json:"handoffsByAgent,omitempty"`
	// Tokens are those of the session; 0 without a desk.
	Tokens   int    `json:"tokens"`
	Latency  Spread `json:"latency"`  // from the request until the target began
	Duration Spread `json:"duration"` // from then on until the handoff ended

	// Ended are the accepted handoffs that ended, but for those that were
	// cancelled and for resumed work, and Succeeded those of them that were
	// completed or returned without gaps. SuccessRate is their quotient; 0 if
	// none has ended.
	Ended       int     `json:"ended"`
	Succeeded   int     `json:"succeeded"`
	SuccessRate float64 `json:"successRate"`

	Breakers  map[string]BreakerState `json:"breakers,omitempty"` // by key, those that are not closed; none without a desk
	Openings  int                     `json:"breakerOpenings"`
	Deadlocks int                     `json:"deadlocks"` // handoffs rejected with CodeDeadlock
	Returns   int                     `json:"returns"`
	Retries   int                     `json:"retries"`
	// Timeouts are handoffs that were not accepted or not done in time.
	Timeouts    int `json:"timeouts"`
	Escalations int `json:"escalations"` // accepted ones
	Joins       int `json:"joins"`

	Quality Quality `json:"quality"`
}

// AgentStats are figures about one agent.
type AgentStats struct {
	Sent     int `json:"sent"`     // accepted handoffs from it
	Received int `json:"received"` // accepted handoffs to it
	Rejected int `json:"rejected"` // its own that were not accepted
	Tokens   int `json:"tokens"`   // of its turns; 0 without a desk
}

// Spread says how durations are spread.
type Spread struct {
	Count int           `json:"count"`
	Mean  time.Duration `json:"mean"` // 0 if there are none, as the others
	P50   time.Duration `json:"p50"`  // half of them take no longer
	P99   time.Duration `json:"p99"`  // 99 of 100 take no longer
	Most  time.Duration `json:"most"`
}

// Statistics counts what the log of a session tells and, if there is one, its
// desk.
func Statistics(log Log, desk *Desk) Stats {
	t := statsTally{Stats: Stats{Statuses: map[Status]int{}, Rejected: map[Code]int{}, Agents: map[string]AgentStats{}}}
	for h := range History(log, Filter{}) {
		t.handoff(&h)
	}
	for e := range log.All() {
		t.event(e)
	}
	t.desk(desk)
	t.Latency, t.Duration = spreadOf(t.latencies), spreadOf(t.durations)
	if t.Ended > 0 {
		t.SuccessRate = float64(t.Succeeded) / float64(t.Ended)
	}
	t.Quality = qualityOf(log)
	return t.Stats
}

// statsTally is Stats in the making.
type statsTally struct {
	Stats
	latencies, durations []time.Duration
}

func (t *statsTally) handoff(h *Handoff) {
	t.Handoffs++
	t.Statuses[h.Status]++
	switch h.Status {
	case Requested, Validated, AwaitingApproval, PendingAccept:
		t.Pending++
	case Accepted, Running:
		t.Running++
	case Rejected:
		t.Rejected[h.Code]++
	}
	if h.Code == CodeDeadlock && h.Status == Rejected {
		t.Deadlocks++
	}
	if h.Status == TimedOut || h.Status == Failed && h.Code == CodeDeadline {
		t.Timeouts++
	}
	if h.Accepted.IsZero() {
		if !h.Ended.IsZero() {
			t.agent(h.From, func(a *AgentStats) { a.Rejected++ })
		}
		return
	}
	t.accepted(h)
}

func (t *statsTally) accepted(h *Handoff) {
	t.Accepted++
	t.agent(h.From, func(a *AgentStats) { a.Sent++ })
	t.agent(h.To, func(a *AgentStats) { a.Received++ })
	if h.Kind == Escalate {
		t.Escalations++
	}
	t.latencies = append(t.latencies, h.Latency())
	if good, counts := h.success(); counts {
		t.durations = append(t.durations, h.Duration())
		t.Ended++
		if good {
			t.Succeeded++
		}
	}
}

// success reports whether a handoff succeeded, and whether that can be said.
func (h *Handoff) success() (good, counts bool) {
	if h.Accepted.IsZero() || h.Ended.IsZero() || h.Kind == Resume || h.Status == Cancelled || h.Status == Superseded {
		return false, false
	}
	return h.Status == Completed || h.Status == Returned, true
}

func (t *statsTally) event(e *Entry) {
	switch e.Event {
	case EventReturn:
		t.Returns++
	case EventRetry:
		t.Retries++
	case EventJoin:
		t.Joins++
	case EventBreaker:
		if e.Detail["state"] == string(BreakerOpen) {
			t.Openings++
		}
	}
}

// desk takes what no log tells: what turns cost, and where breakers stand.
func (t *statsTally) desk(d *Desk) {
	if d == nil {
		return
	}
	t.Tokens = d.Spent.Tokens
	for key, n := range d.Counts {
		if agent, ok := strings.CutPrefix(key, "tokens:"); ok {
			t.agent(agent, func(a *AgentStats) { a.Tokens = n })
		}
	}
	for key, b := range d.Breakers {
		if b.State == "" || b.State == BreakerClosed {
			continue
		}
		if t.Breakers == nil {
			t.Breakers = map[string]BreakerState{}
		}
		t.Breakers[key] = b.State
	}
}

func (t *statsTally) agent(id string, change func(*AgentStats)) {
	a := t.Agents[id]
	change(&a)
	t.Agents[id] = a
}

// spreadOf sorts durations.
func spreadOf(all []time.Duration) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	slices.Sort(all)
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	return Spread{Count: len(all), Mean: sum / time.Duration(len(all)), P50: spreadRank(all, 50), P99: spreadRank(all, 99), Most: all[len(all)-1]}
}

// spreadRank returns the least of sorted durations that at least so many of a
// hundred do not exceed.
func spreadRank(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}
