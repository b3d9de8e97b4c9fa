package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
)

const handoffsHelp = `Look at the handoffs of a thread: what agents handed to one another, and what
came of it.

The file must have agents, and the thread is one of its runs. With --at it is
how things stood at a checkpoint. Handoffs inside of subgraphs are not told.

`

// handoffsCommand is the command handoffs, which has commands of its own.
func (a *app) handoffsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "handoffs", Short: "Look at the handoffs of a thread", Long: handoffsHelp + exitHelp,
		Example: "  graphrun handoffs history support.yaml --thread ada\n  graphrun handoffs stats support.yaml --thread ada --output json\n  graphrun handoffs pending support.yaml --thread ada --agent billing",
	}
	leadsOn(cmd, "the handoffs")
	cmd.AddCommand(a.handedCommand(), a.handoffStatsCommand(), a.handoffPendingCommand(), a.handoffFlowCommand())
	return cmd
}

// onHandoffs is what the commands have in common that look at the handoffs of
// a thread.
type onHandoffs struct{ onCheckpoint }

// sight reads what the thread's state holds of handoffs and does something
// with it.
func (o *onHandoffs) sight(cmd *cobra.Command, file string, do func(handoffs.Sight) error) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	if err := checkAt(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	return o.with(ctx, file, reading, func(g *records, f *graphfile.File) error {
		if f.Team() == nil {
			return usage("%s has no agents, so that there are no handoffs", file)
		}
		look, err := o.look(ctx, g, f)
		if err != nil {
			return err
		}
		return do(look)
	})
}

func (o *onHandoffs) look(ctx context.Context, g *records, f *graphfile.File) (handoffs.Sight, error) {
	s, err := g.State(ctx, o.thread, o.at)
	if err != nil {
		return handoffs.Sight{}, err
	}
	return handoffs.Records{Schema: f.Schema()}.Look(&s.Values)
}

// none says that there is nothing to tell.
func (o *onHandoffs) none(what string) {
	if !o.quiet {
		fmt.Fprintln(o.Stderr, "there are no "+what)
	}
}

// handoffRows are the columns that people see of handoffs.
func handoffColumns() []string {
	return []string{"FROM", "TO", "KIND", "STATUS", "REASON", "TASK", "ASKED", "HANDOFF"}
}

func handoffRow(h *handoffs.Handoff) []string {
	status := string(h.Status)
	if h.Code != "" {
		status += " (" + string(h.Code) + ")"
	}
	to := h.To
	if to == "" {
		to = h.Record.To
	}
	if to == "" {
		to = h.Capability
	}
	return []string{
		oneLine(h.From), oneLine(to), string(h.Kind), status, oneLine(string(h.Reason)), clip(oneLine(h.Task), 40),
		h.At.UTC().Format("2006-01-02T15:04:05Z"), h.ID,
	}
}
