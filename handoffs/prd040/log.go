package prd040

import (
	"context"
	"log/slog"

	"github.com/graphrun/graphrun/handoffs"
)

// Service is the name under which handoffs are logged.
const Service = "handoff-manager"

// Logger returns a logger that says with every line which service it is from.
// Nil logs nothing.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l.With("service", Service)
}

// LogNotice logs what watchers of a run are told: accepted handoffs as
// information, rejected ones as warnings. A graph's notices come with its events,
// as the values of graph.Custom.
func LogNotice(ctx context.Context, l *slog.Logger, n handoffs.Notice) {
	switch n := n.(type) {
	case *handoffs.HandoffNotice:
		l.InfoContext(ctx, n.LineType(), "handoffId", n.Handoff, "from", n.From, "to", n.To, "reason", string(n.Reason))
	case *handoffs.RejectedNotice:
		l.WarnContext(ctx, n.LineType(), "from", n.From, "to", n.To, "reason", n.Message)
	case *handoffs.AgentChanged:
		l.DebugContext(ctx, n.LineType(), "from", n.From, "to", n.To)
	}
}
