package conformance

import (
	"errors"
	"fmt"
)

// Play does the session of a case and compares everything that was recorded
// of it, the history as far as h allows. The error tells all that differs in
// the first operation that differs at all, for what follows rests on it.
// Behind a conflict, which ends a session of the reference, the thread is gone
// on with once more: the step runs again and meets the same conflict.
func (c *Case) Play(d Driver, h Histories) error {
	p := &play{driver: d}
	for i := range c.Session {
		op := &c.Session[i]
		if h == OneRowARun && op.At != nil {
			return nil // the row to go on from is not kept
		}
		if err := p.operation(op); err != nil {
			return fmt.Errorf("conformance: %s: operation %d (%s): %w", c.Name, i, op.Op, err)
		}
		if op.Expect.StateError {
			if err := p.operation(&Operation{Op: "continue", Expect: Expectation{Error: op.Expect.Error}}); err != nil {
				return fmt.Errorf("conformance: %s: going on behind operation %d: %w", c.Name, i, err)
			}
		}
	}
	if h == OneRowARun {
		return nil
	}
	if err := p.history(c.History); err != nil {
		return fmt.Errorf("conformance: %s: history: %w", c.Name, err)
	}
	return nil
}

// Histories says what a driver's histories hold.
type Histories uint8

const (
	// OneRowAStep is what histories hold that can be compared.
	OneRowAStep Histories = iota
	// OneRowARun is what they hold if runs save once, at their end. They are
	// not compared, and a session ends before it goes on from a row of one.
	OneRowARun
)

// play is a session at work.
type play struct {
	driver Driver
	values Fields      // of the last commit
	stands *Checkpoint // behind the last operation; nil: there was none
}

func (p *play) operation(op *Operation) error {
	at, err := p.row(op.At)
	if err != nil {
		return err
	}
	told, err := p.driver.Do(op, at)
	if err != nil {
		return err
	}
	stands, err := p.driver.State()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	wrong := errors.Join(compareSteps(op, told), p.state(op, told, stands), p.numbers(told, stands, at != ""))
	p.stands = stands
	return wrong
}

// numbers compares the numbers of steps, which count over the thread's life; a
// fork has one of its own, as an update has.
func (p *play) numbers(told *Told, got *Checkpoint, forked bool) error {
	if len(told.steps) == 0 {
		return nil
	}
	var wrong []error
	first, last := 0, told.first+len(told.steps)-1
	if p.stands != nil {
		first = p.stands.Step + 1
	}
	if told.first != first && !forked {
		wrong = append(wrong, fmt.Errorf("the first step has the number %d, not %d", told.first, first))
	}
	if got.Step != last {
		wrong = append(wrong, fmt.Errorf("state: step %d, not %d, the last that was told", got.Step, last))
	}
	return errors.Join(wrong...)
}

// row finds the checkpoint that is the k-th of the history, as the cases count.
func (p *play) row(k *int) (name string, err error) {
	if k == nil {
		return "", nil
	}
	rows, err := p.rows()
	if err != nil {
		return "", err
	}
	if *k >= len(rows) {
		return "", fmt.Errorf("row %d of the history is wanted, it has %d", *k, len(rows))
	}
	p.values = rows[*k].Values
	return rows[*k].Name, nil
}

// rows are those of the history that the cases have: without marks of forks.
func (p *play) rows() ([]Checkpoint, error) {
	all, err := p.driver.History()
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	var out []Checkpoint
	for _, c := range all {
		if c.Source != "fork" {
			out = append(out, c)
		}
	}
	return out, nil
}

func compareSteps(op *Operation, told *Told) error {
	want, got := op.Expect.Steps, told.all()
	if n := len(got); op.Expect.Error == "invalid_update" && n == len(want)+1 && got[n-1].Values == nil {
		got = got[:n-1] // the reference does not tell the step in which writers met
	}
	var wrong []error
	if told.kind != op.Expect.Error {
		wrong = append(wrong, fmt.Errorf("error kind %q, not %q", told.kind, op.Expect.Error))
	}
	if op.Op == "update" {
		return errors.Join(wrong...) // it makes no superstep
	}
	for i := range max(len(got), len(want)) {
		var bare []string
		if i < len(want) {
			bare = bareNodes(&want[i])
		}
		w, g := stepText(want, i, bare), stepText(got, i, bare)
		if w != g {
			wrong = append(wrong, fmt.Errorf("superstep %d of %d:\n  got  %s\n  want %s", i, len(want), g, w))
		}
	}
	return errors.Join(wrong...)
}

// state compares where the thread stands with what was recorded, and with what
// the operation told.
func (p *play) state(op *Operation, told *Told, got *Checkpoint) error {
	var wrong []error
	differ := func(what string, got, want any) {
		if g, w := text(got), text(want); g != w {
			wrong = append(wrong, fmt.Errorf("state: %s:\n  got  %s\n  want %s", what, g, w))
		}
	}
	p.follow(op)
	differ("values", present(got.Values), present(p.values))
	if want := op.Expect.State; want != nil {
		differ("interrupts", questions(got), append([]any{}, want.Interrupts...))
		if want.Next != nil {
			differ("next", sorted(got.Next), want.Next)
		}
	} else if len(got.Next) == 0 {
		wrong = append(wrong, errors.New("state: next is empty behind a conflict"))
	}
	if op.Op != "update" {
		differ("ids of questions", ids(got), sorted(told.asked))
	}
	return errors.Join(wrong...)
}

// follow finds the values of the last commit: what a case tells of the state
// are those, save behind a failure, where it tells none, and behind a pause,
// where the steps do.
func (p *play) follow(op *Operation) {
	for _, s := range op.Expect.Steps {
		if s.Values != nil {
			p.values = s.Values
		}
	}
	if s := op.Expect.State; s != nil && s.Values != nil {
		p.values = s.Values
	}
}

// history compares the whole history.
func (p *play) history(want []HistoryRow) error {
	got, err := p.rows()
	if err != nil {
		return err
	}
	var wrong []error
	if len(got) != len(want) {
		wrong = append(wrong, fmt.Errorf("%d rows, not %d", len(got), len(want)))
	}
	for i := range max(len(got), len(want)) {
		g, w := "none", "none"
		if i < len(got) {
			g = rowText(got[i].Source, got[i].Next, got[i].Values)
		}
		if i < len(want) {
			w = rowText(want[i].Source, want[i].Next, want[i].Values)
		}
		if g != w {
			wrong = append(wrong, fmt.Errorf("row %d of %d:\n  got  %s\n  want %s", i, len(want), g, w))
		}
	}
	return errors.Join(wrong...)
}
