package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// who is whom the user lets go on, of a graph with agents.
type who struct {
	agent string // who gets the conversation
	token string // of agents that were set aside
}

func (w *who) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.agent, "agent", "", "agent that the conversation goes on with")
	cmd.Flags().StringVar(&w.token, "resume-token", "", "token of agents that were set aside and are to go on")
	completeNothing(cmd, "agent")
	completeNothing(cmd, "resume-token")
}

// check refuses values that name nobody.
func (w *who) check(cmd *cobra.Command) error {
	agent, token := cmd.Flags().Changed("agent"), cmd.Flags().Changed("resume-token")
	switch {
	case agent && token:
		return usage("--agent and --resume-token both say who goes on; give one of them")
	case agent && w.agent == "":
		return usage("--agent: the agent has no name")
	case token && w.token == "":
		return usage("--resume-token: it is empty; the log's entries of the event suspend have the tokens")
	}
	return nil
}

// writes are the part of the input that says who goes on; nil if nobody does.
func (w *who) writes(f *graphfile.File) ([]state.Write[state.Record], error) {
	flag, value := "agent", w.agent
	if w.token != "" {
		flag, value = "resume-token", w.token
	}
	team := f.Team()
	switch {
	case value == "":
		return nil, nil
	case team == nil:
		return nil, usage("--%s %s: the graph file has no agents", flag, value)
	case w.agent != "":
		return team.Select(w.agent)
	}
	return team.Input(handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser, Reason: handoffs.UserRequest, Token: w.token})
}

// parked are the agents of a thread that were set aside, by their tokens; none
// where nothing can be read.
func (s *starter) parked(ctx context.Context, f *graphfile.File) []handoffs.Parked {
	if s.who.agent == "" || s.quiet || f.Team() == nil {
		return nil
	}
	snap, err := s.graph.State(ctx, s.thread, "")
	if err != nil {
		return nil
	}
	look, err := handoffs.Records{Schema: f.Schema()}.Look(&snap.Values)
	if err != nil {
		return nil
	}
	return look.Desk.Parked
}

// tellAside says by which token the agents go on that the choice of another
// one has set aside.
func (s *starter) tellAside(before, after []handoffs.Parked) {
	if len(after) > len(before) {
		p := after[len(after)-1]
		fmt.Fprintf(s.Stderr, "%s was set aside; it goes on with --resume-token %s\n", p.Active, p.Token)
	}
}
