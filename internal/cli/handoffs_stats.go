package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/handoffs"
)

const statsHelp = `Show figures about the handoffs of a thread: how many were asked for, accepted,
rejected and why, how long they waited and took, and what each agent sent and
received.

With --output json or jsonl it is one object; durations are in nanoseconds.

`

// figures is the command handoffs stats.
type figures struct{ onHandoffs }

func (a *app) handoffStatsCommand() *cobra.Command {
	s := &figures{onHandoffs{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "stats FILE", Short: "Show figures about the handoffs of a thread", Long: statsHelp + exitHelp, Args: oneFile,
		Example: "  graphrun handoffs stats support.yaml --thread ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.sight(cmd, args[0], func(look handoffs.Sight) error { return s.show(&look) })
		},
	}
	s.declare(cmd)
	return cmd
}

func (s *figures) show(look *handoffs.Sight) error {
	stats := handoffs.Statistics(look.Log, look.Desk)
	if s.output.value != "text" {
		return s.writeJSON(&stats)
	}
	k := s.inkFor(s.Terminal.Stdout)
	var b strings.Builder
	for _, row := range statsRows(&stats) {
		if row[1] != "" {
			fmt.Fprintf(&b, "%s %s\n", k.dim(pad(row[0], 10)), row[1])
		}
	}
	if len(stats.Agents) > 0 {
		b.WriteString("\n" + s.agents(&stats, k))
	}
	_, err := s.Stdout.Write([]byte(b.String()))
	return unwritten(err)
}

// statsRows are the figures that are not about single agents.
func statsRows(s *handoffs.Stats) [][2]string {
	rows := [][2]string{
		{"handoffs", fmt.Sprintf("%d, accepted %d, pending %d, running %d", s.Handoffs, s.Accepted, s.Pending, s.Running)},
		{"rejected", tallied(s.Rejected)},
		{"ended", fmt.Sprintf("%d, succeeded %d", s.Ended, s.Succeeded)},
		{"waited", spread(&s.Latency)}, {"took", spread(&s.Duration)},
		{"breakers", tallied(s.Breakers)},
	}
	for _, n := range []struct {
		name  string
		count int
	}{{"returns", s.Returns}, {"retries", s.Retries}, {"timeouts", s.Timeouts}, {"joins", s.Joins}, {"tokens", s.Tokens}} {
		if n.count > 0 {
			rows = append(rows, [2]string{n.name, strconv.Itoa(n.count)})
		}
	}
	return rows
}

// tallied writes counts by name, by name in order.
func tallied[K ~string, V any](counts map[K]V) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %v", name, counts[name]))
	}
	return strings.Join(out, ", ")
}

func spread(s *handoffs.Spread) string {
	if s.Count == 0 || s.Most == 0 {
		return ""
	}
	return fmt.Sprintf("%s in the mean, %s at most", took(s.Mean), took(s.Most))
}

func (s *figures) agents(stats *handoffs.Stats, k ink) string {
	t := table{ink: k, rows: [][]string{{"AGENT", "SENT", "RECEIVED", "REJECTED", "TOKENS"}}}
	for _, id := range slices.Sorted(maps.Keys(stats.Agents)) {
		a := stats.Agents[id]
		t.rows = append(t.rows, []string{oneLine(id), strconv.Itoa(a.Sent), strconv.Itoa(a.Received), strconv.Itoa(a.Rejected), strconv.Itoa(a.Tokens)})
	}
	return t.String()
}
