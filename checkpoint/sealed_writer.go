package checkpoint

import (
	"context"
	"fmt"
)

// sealedWriter seals what it writes. Lost and Release are the store's.
type sealedWriter struct {
	Writer
	store  *sealedStore
	box    *box
	thread string
}

func (w *sealedWriter) Append(ctx context.Context, parts []Part) error {
	if err := CheckParts(parts); err != nil {
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
	sealed := make([]Part, len(parts))
	for i := range parts {
		sealed[i] = w.box.sealPart(&parts[i])
	}
	return w.Writer.Append(ctx, sealed)
}

// checkRows refuses rows unless they may be plain.
func (w *sealedWriter) checkRows(ns string, c *Commit, problems []error) []error {
	if w.store.plainRows || len(c.Index) == 0 {
		return problems
	}
	return append(problems, fmt.Errorf("namespace %q: commit %d has %d rows, which would be stored unsealed; PlainRows allows that", ns, c.Seq, len(c.Index)))
}

// sealPart returns a part as it is stored.
func (b *box) sealPart(p *Part) Part {
	out := Part{NS: p.NS, Head: p.Head, Commits: make([]Commit, len(p.Commits)), Pending: make([]Pending, len(p.Pending))}
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

func (b *box) sealPending(ns string, head int64, p Pending) Pending {
	if p.Body != nil {
		p.Body = b.seal(pendingPlace(ns, head, p.Key), p.Body)
	}
	return p
}

func (w *sealedWriter) Prune(ctx context.Context, ns string, whole *Commit) error {
	if err := CheckWhole(whole); err != nil {
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
	log := Log{Thread: w.thread, NS: ns}
	listed, err := w.store.store.List(ctx, Query{Log: log, Before: seq + 1, Limit: 1})
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
		return nil, fmt.Errorf("checkpoint: thread %q, namespace %q: commit %d: its meta: %w", w.thread, ns, seq, err)
	}
	at, _, err := splitMeta(plain)
	return at, err
}
