package cli

import (
	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/handoffs"
)

const handedHelp = `List the handoffs of a thread in the order in which they were asked for, those
that were rejected among them.

With --output jsonl each handoff is a line, with json all are one list: what was
asked for, whom it went to, where it stands, why, and what came of it.

`

// handed is the command handoffs history.
type handed struct {
	onHandoffs
	from, to string
	accepted bool
	returns  bool
	limit    int
}

func (a *app) handedCommand() *cobra.Command {
	h := &handed{onHandoffs: onHandoffs{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "history FILE", Short: "List the handoffs of a thread", Long: handedHelp + exitHelp, Args: oneFile,
		Example: "  graphrun handoffs history support.yaml --thread ada --to billing\n  graphrun handoffs history support.yaml --thread ada --returns --output jsonl",
		RunE:    func(cmd *cobra.Command, args []string) error { return h.list(cmd, args[0]) },
	}
	h.declare(cmd)
	fs := cmd.Flags()
	fs.StringVar(&h.from, "from", "", "only handoffs of this agent")
	fs.StringVar(&h.to, "to", "", "only handoffs that went to this agent")
	fs.BoolVar(&h.accepted, "accepted", false, "only handoffs that were accepted")
	fs.BoolVar(&h.returns, "returns", false, "returns of called agents as well")
	fs.IntVar(&h.limit, "limit", 0, "at most so many, the newest ones (default: all)")
	for _, flag := range []string{"from", "to", "limit"} {
		completeNothing(cmd, flag)
	}
	return cmd
}

func (h *handed) list(cmd *cobra.Command, file string) error {
	if err := checkLimit(cmd, h.limit); err != nil {
		return err
	}
	return h.sight(cmd, file, func(look handoffs.Sight) error {
		filter := handoffs.Filter{From: h.from, To: h.to, Accepted: h.accepted, IncludeReturns: h.returns}
		skip := 0
		if h.limit > 0 {
			skip = max(0, handoffs.Count(look.Log, filter)-h.limit)
		}
		out := h.listing(handoffColumns()...)
		for one := range handoffs.History(look.Log, filter) {
			if skip--; skip >= 0 {
				continue
			}
			if err := out.add(&one, handoffRow(&one)...); err != nil {
				return err
			}
		}
		if out.count == 0 {
			h.none("handoffs")
		}
		return out.end()
	})
}

// pending is the command handoffs pending.
type pending struct {
	onHandoffs
	agent string
}

const pendingHelp = `List the open handoffs of a thread: those that wait, for an approval, for their
target to accept them or to be free, or for their next attempt, most urgent
first; then those that agents work on.

`

func (a *app) handoffPendingCommand() *cobra.Command {
	p := &pending{onHandoffs: onHandoffs{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "pending FILE", Short: "List the open handoffs of a thread", Long: pendingHelp + exitHelp, Args: oneFile,
		Example: "  graphrun handoffs pending support.yaml --thread ada --agent billing",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.sight(cmd, args[0], func(look handoffs.Sight) error { return p.list(&look) })
		},
	}
	p.declare(cmd)
	cmd.Flags().StringVar(&p.agent, "agent", "", "only handoffs to this agent")
	completeNothing(cmd, "agent")
	return cmd
}

func (p *pending) list(look *handoffs.Sight) error {
	out := p.listing(handoffColumns()...)
	for _, one := range handoffs.Pending(look.Log, look.Desk, p.agent) {
		if err := out.add(&one, handoffRow(&one)...); err != nil {
			return err
		}
	}
	if out.count == 0 {
		p.none("open handoffs")
	}
	return out.end()
}
