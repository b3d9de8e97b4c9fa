package handoffs

// The keys of Desk.Counts that limits and loop rules read. Those with a colon
// are followed by an agent, or by an edge: its name, and its source and target
// as "a->b".
const (
	countHandoffs = "handoffs" // all but those of edges that are counted apart
	countTurns    = "turns"
	countAgents   = "agents" // different ones that had part in handoffs
	countTo       = "to:"
	countFrom     = "from:"
	countEdge     = "edge:"
	countBefore   = "before:" // handoffs, turns: when the last message of the user came, see Policy.PerMessage
)

// countHandoff counts a handoff that begins, by the edge e; nil: there is none.
// The desk's maps must be the caller's own: a desk that others may see has to be
// copied before. A handoff is counted once, however often it is tried.
func (d *Desk) countHandoff(e *Edge, from, to string) {
	if d.Counts == nil {
		d.Counts = map[string]int{}
	}
	if e == nil || !e.Apart {
		d.Counts[countHandoffs]++
	}
	d.countAgent(countFrom, from)
	d.countAgent(countTo, to)
	pair := from + "->" + to
	d.Counts[countEdge+pair]++
	if e != nil && e.Name != "" && e.Name != pair {
		d.Counts[countEdge+e.Name]++
	}
}

// countAgent counts an agent's part in a handoff; "": nobody's.
func (d *Desk) countAgent(part, agent string) {
	if agent == "" {
		return
	}
	if !d.met(agent) {
		d.Counts[countAgents]++
	}
	d.Counts[part+agent]++
}

// countTurn counts a turn that begins. As for countHandoff the maps must be the
// caller's own.
func (d *Desk) countTurn() {
	if d.Counts == nil {
		d.Counts = map[string]int{}
	}
	d.Counts[countTurns]++
}

// turns is how many turns of agents have begun, as limits count them.
func (d *Desk) turns() int { return d.Counts[countTurns] - d.Counts[countBefore+countTurns] }

// made is how many handoffs have begun, without those counted apart, as limits
// count them.
func (d *Desk) made() int { return d.Counts[countHandoffs] - d.Counts[countBefore+countHandoffs] }

// countAnew lets limits count from here on. The desk's maps must be the caller's
// own.
func (d *Desk) countAnew() {
	for _, key := range []string{countHandoffs, countTurns} {
		if n := d.Counts[key]; n > 0 {
			d.Counts[countBefore+key] = n
		}
	}
}

// between is how many handoffs went from one agent to another.
func (d *Desk) between(from, to string) int { return d.Counts[countEdge+from+"->"+to] }

// taken is how often an edge was taken. One without a name is counted by source
// and target.
func (d *Desk) taken(e *Edge, from, to string) int {
	if e.Name == "" {
		return d.between(from, to)
	}
	return d.Counts[countEdge+e.Name]
}

// met reports whether an agent has had part in a handoff.
func (d *Desk) met(agent string) bool {
	return d.Counts[countTo+agent] > 0 || d.Counts[countFrom+agent] > 0
}

// agents is how many different agents had part in handoffs.
func (d *Desk) agents() int { return d.Counts[countAgents] }
