package sealed

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
)

// sealedWriter seals what it writes. Lost and Release are the store's.
type sealedWriter struct {
	checkpoint.Writer
	store  *sealedStore
	box    *box
	thread string
}

func (w *sealedWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	if err := checkpoint.CheckParts(parts); err != nil {
		return err
	}
	var problems []error
	for i := range parts {
		for k := range parts[i].Commits {
			problems = w.checkRows(parts[i].NS, &parts[i].Commits[k], problems)
		}
	}
	if problems != nil {
		return invalid(problems)
	}
	sealed := make([]checkpoint.Part, len(parts))
	for i := range parts {
		sealed[i] = w.box.sealPart(&parts[i])
	}
	return w.Writer.Append(ctx, sealed)
}

// checkRows refuses rows unless they may be plain.
func (w *sealedWriter) checkRows(ns string, c *checkpoint.Commit, problems []error) []error {
	if w.store.plainRows || len(c.Index) == 0 {
		return problems
	}
	return append(problems, fmt.Errorf("namespace %q: commit %d has %d rows, which would be stored unsealed; PlainRows allows that", ns, c.Seq, len(c.Index)))
}

// sealPart returns a part as it is stored.
func (b *box) sealPart(p *checkpoint.Part) checkpoint.Part {
	out := checkpoint.Part{NS: p.NS, Head: p.Head, Commits: make([]checkpoint.Commit, len(p.Commits)), Pending: make([]checkpoint.Pending, len(p.Pending))}
	head := p.Head
	for i := range p.Commits {
		out.Commits[i] = b.sealCommit(p.NS, p.Commits[i], nil)
		head = p.Commits[i].Seq
	}
	for i := range p.Pending {
		out.Pending[i] = b.sealPending(p.NS, head, p.Pending[i])
	}
	return out
}

func (b *box) sealPending(ns string, head int64, p checkpoint.Pending) checkpoint.Pending {
	if p.Body != nil {
		p.Body = b.seal(pendingPlace(ns, head, p.Key), p.Body)
	}
	return p
}

func (w *sealedWriter) Prune(ctx context.Context, ns string, whole *checkpoint.Commit) error {
	if err := checkpoint.CheckWhole(whole); err != nil {
		return err
	}
	if problems := w.checkRows(ns, whole, nil); problems != nil {
		return invalid(problems)
	}
	at, err := w.timeWithin(ctx, ns, whole.Seq)
	if err != nil {
		return err
	}
	sealed := w.box.sealCommit(ns, *whole, at)
	return w.Writer.Prune(ctx, ns, &sealed)
}

// timeWithin returns the time that is sealed within a commit, nil if the
// store's counts or there is no such commit. The commit that takes its place
// is to keep it.
func (w *sealedWriter) timeWithin(ctx context.Context, ns string, seq int64) (*instant, error) {
	log := checkpoint.Log{Thread: w.thread, NS: ns}
	listed, err := w.store.store.List(ctx, checkpoint.Query{Log: log, Before: seq + 1, Limit: 1})
	if err != nil || len(listed) == 0 || listed[0].Seq != seq {
		return nil, err
	}
	b, err := w.store.box(w.thread)
	if err != nil {
		return nil, err
	}
	c := &listed[0]
	plain, err := b.open(metaPlace(ns, c), c.Meta)
	if err != nil {
		return nil, fmt.Errorf("sealed: thread %q, namespace %q: commit %d: its meta: %w", w.thread, ns, seq, err)
	}
	at, _, err := splitMeta(plain)
	return at, err
}
