package handoffs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
)

// Flow draws the way that the work of a session took: its agents, and an arrow
// for each accepted handoff with its number, its reason, what its payload says
// of artifacts and scores, and the mark ↺ if it goes back to an agent that had
// the work before. Calls have thick arrows, and returns dotted ones with the
// number of their call. Arrows that say the same are drawn once, with all
// numbers. The text is the same for the same log; it fails if the format is
// unknown.
func Flow(log Log, format graph.Format) (string, error) {
	d := flowDrawing{seen: map[string]bool{}, number: map[string]int{}, place: map[flowArrow]int{}}
	for h := range History(log, Filter{Accepted: true, IncludeReturns: true}) {
		d.add(&h)
	}
	for i := range d.arrows {
		d.graph.Edges[i].Label = d.arrows[i].text(d.numbers[i])
	}
	text, err := topo.Draw(&d.graph, topo.DrawOptions{Format: format})
	if err != nil {
		return "", fmt.Errorf("handoffs: flow: %w", err)
	}
	return text, nil
}

// flowDrawing is a drawing in the making.
type flowDrawing struct {
	graph   topo.Graph
	seen    map[string]bool
	number  map[string]int // of handoffs, by id
	arrows  []flowArrow    // of the edges of graph
	numbers [][]int        // of the handoffs that each stands for
	place   map[flowArrow]int
}

// flowArrow is what an arrow shows beside numbers.
type flowArrow struct {
	from, to string
	kind     topo.EdgeKind
	words    string
}

func (d *flowDrawing) add(h *Handoff) {
	a := flowArrow{from: flowName(h.From), to: flowName(h.To)}
	number := d.number[h.ID]
	switch h.Kind {
	case Return:
		a.kind, a.words = topo.Conditional, returnWords(h)
	default:
		number = len(d.number) + 1
		d.number[h.ID] = number
		a.kind, a.words = topo.Static, flowWords(h, d.seen[a.to])
		if h.Kind == Call || h.Kind == Spawn {
			a.kind, a.words = topo.Sent, flowWords(h, false)
		}
	}
	d.agent(a.from)
	d.agent(a.to)
	at, ok := d.place[a]
	if !ok {
		at = len(d.arrows)
		d.place[a] = at
		d.arrows, d.numbers = append(d.arrows, a), append(d.numbers, nil)
		d.graph.Edges = append(d.graph.Edges, topo.Edge{From: a.from, To: a.to, Kind: a.kind})
	}
	d.numbers[at] = append(d.numbers[at], number)
}

func (d *flowDrawing) agent(name string) {
	if !d.seen[name] {
		d.seen[name] = true
		d.graph.Nodes = append(d.graph.Nodes, topo.Node{Name: name})
	}
}

// flowName is how an agent is drawn: some names are those of other things in
// drawings.
func flowName(agent string) string {
	if agent == "" || agent == topo.Start || agent == topo.End {
		return fmt.Sprintf("agent %q", agent)
	}
	return agent
}

// mostNumbers is how many numbers, or runs of them, an arrow shows.
const mostNumbers = 6

// text puts what is said before the numbers of what it is said of.
func (a *flowArrow) text(numbers []int) string {
	var shown []string
	for i := 0; i < len(numbers); {
		if len(shown) == mostNumbers {
			shown = append(shown, fmt.Sprintf("… %d in all", len(numbers)))
			break
		}
		end := i + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		run := strconv.Itoa(numbers[i])
		if end > i+1 {
			run += "–" + strconv.Itoa(numbers[end-1])
		}
		shown = append(shown, run)
		i = end
	}
	first, second, _ := strings.Cut(a.words, "\n")
	text := first + " (" + strings.Join(shown, ", ") + ")"
	if second != "" {
		text += "\n" + second
	}
	return text
}

func returnWords(h *Handoff) string {
	switch {
	case h.Status == Returned:
		return "returned"
	case h.Code != "":
		return "returned " + string(h.Code)
	}
	return "returned " + string(h.Status)
}

// flowWords is what is said of a handoff: how and why, and in a second line
// what it carries.
func flowWords(h *Handoff, again bool) string {
	words := []string{string(h.Reason)}
	if h.Reason == "" {
		words[0] = string(h.Kind)
	}
	if again {
		words = append(words, "↺")
	}
	if h.Attempts > 1 {
		words = append(words, fmt.Sprintf("%d attempts", h.Attempts))
	}
	if h.Status == Failed || h.Status == TimedOut || h.Status == Rejected {
		words = append(words, string(h.Status))
	}
	text := strings.Join(words, " ")
	if carried := flowCarries(h.Payload); carried != "" {
		text += "\n" + carried
	}
	return text
}

// flowCarries names the artifacts of a payload, under "artifacts" (those that are
// there) or "artifacts_created", and its score, under "score" or "quality_score".
func flowCarries(payload map[string]any) string {
	var names []string
	switch all := payload["artifacts"].(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if all[name] != nil {
				names = append(names, name)
			}
		}
	case []any:
		names = append(names, payloadTexts(all)...)
	}
	if all, ok := payload["artifacts_created"].([]any); ok {
		names = append(names, payloadTexts(all)...)
	}
	for _, key := range []string{"score", "quality_score"} {
		if v, ok := payload[key]; ok && v != nil {
			names = append(names, fmt.Sprint("score ", v))
		}
	}
	return strings.Join(slices.Compact(names), ", ")
}

func payloadTexts(list []any) (out []string) {
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return out
}
