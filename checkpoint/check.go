package checkpoint

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// CheckThread reports what is wrong with the name of a thread: any bytes will
// do, but not none. It fails with ErrInvalid.
func CheckThread(thread string) error {
	if thread == "" {
		return fmt.Errorf("checkpoint: %w: the name of a thread is empty", ErrInvalid)
	}
	return nil
}

// CheckParts reports all that is wrong with the parts of one Append and can
// be seen without the logs: stores call it first. It fails with ErrInvalid.
//
// A log has one part at most. Its commits rise from behind its Head, each is
// whole or rests on what the one before it rests on, and goes on from an
// earlier one. Nothing is pending behind a log without commits. Rows are
// well-formed. What the first commit rests on is for CheckBase to see.
func CheckParts(parts []Part) error {
	var problems []error
	for i := range parts {
		problems = parts[i].check(problems)
	}
	if len(parts) > 1 {
		problems = checkTwice(parts, problems)
	}
	return invalid(problems)
}

// CheckBase reports whether the first commit of a part is whole or rests on
// what the head of its log rests on; base is the Base of that head, 0 for a
// log without commits. It fails with ErrInvalid.
func CheckBase(p *Part, base int64) error {
	if len(p.Commits) == 0 || p.Commits[0].Base == p.Commits[0].Seq || p.Commits[0].Base == base {
		return nil
	}
	c := &p.Commits[0]
	return fmt.Errorf("checkpoint: %w: namespace %q: commit %d rests on %d; a commit must be whole or rest on what the head does, %d",
		ErrInvalid, p.NS, c.Seq, c.Base, base)
}

// CheckWhole reports whether a commit can take the place of the oldest one of
// a log. It fails with ErrInvalid.
func CheckWhole(whole *Commit) error {
	if whole == nil {
		return fmt.Errorf("checkpoint: %w: there is no commit to prune to", ErrInvalid)
	}
	problems := whole.check(nil)
	if whole.Base != whole.Seq {
		problems = append(problems, fmt.Errorf("commit %d rests on %d; a log can be pruned to a whole state only", whole.Seq, whole.Base))
	}
	return invalid(problems)
}

// CheckRows reports all that is wrong with rows for tables and can be seen
// without a store, which may refuse more: tables that are its own, say. Stores
// check the rows of commits by CheckParts. It fails with ErrInvalid.
func CheckRows(rows []Row) error { return invalid(checkRows(rows)) }

func invalid(problems []error) error {
	if problems == nil {
		return nil
	}
	return fmt.Errorf("checkpoint: %w: %w", ErrInvalid, errors.Join(problems...))
}

func checkTwice(parts []Part, problems []error) []error {
	seen := make(map[string]bool, len(parts))
	for i := range parts {
		if seen[parts[i].NS] {
			problems = append(problems, fmt.Errorf("namespace %q has two parts; an append takes one", parts[i].NS))
		}
		seen[parts[i].NS] = true
	}
	return problems
}

func (p *Part) check(problems []error) []error {
	if p.Head < 0 {
		problems = append(problems, fmt.Errorf("namespace %q: head %d is below 0", p.NS, p.Head))
	}
	if p.Head == 0 && len(p.Commits) == 0 && len(p.Pending) > 0 {
		problems = append(problems, fmt.Errorf("namespace %q: %d entries are to be pending behind a log without commits", p.NS, len(p.Pending)))
	}
	last := p.Head
	for i := range p.Commits {
		c := &p.Commits[i]
		if c.Seq <= last {
			problems = append(problems, fmt.Errorf("namespace %q: commit %d stands behind commit %d; numbers must rise", p.NS, c.Seq, last))
		}
		if !p.rests(i) {
			problems = append(problems, fmt.Errorf("namespace %q: commit %d rests on %d, which is neither itself nor what the commit before it rests on", p.NS, c.Seq, c.Base))
		}
		for _, problem := range c.check(nil) {
			problems = append(problems, fmt.Errorf("namespace %q: %w", p.NS, problem))
		}
		last = c.Seq
	}
	return problems
}

// rests reports whether the Base of commit i can be right.
func (p *Part) rests(i int) bool {
	c := &p.Commits[i]
	if c.Base == c.Seq {
		return true
	}
	if i == 0 {
		return 0 < c.Base && c.Base <= p.Head
	}
	return c.Base == p.Commits[i-1].Base
}

// check sees to what a commit says of itself.
func (c *Commit) check(problems []error) []error {
	if c.Seq < 1 {
		problems = append(problems, fmt.Errorf("commit %d: numbers begin with 1", c.Seq))
	}
	if c.Parent < 0 || c.Parent >= c.Seq {
		problems = append(problems, fmt.Errorf("commit %d goes on from commit %d; it must be an earlier one, or 0 for none", c.Seq, c.Parent))
	}
	for _, problem := range checkRows(c.Index) {
		problems = append(problems, fmt.Errorf("commit %d: %w", c.Seq, problem))
	}
	return problems
}

func checkRows(rows []Row) (problems []error) {
	for i := range rows {
		for _, problem := range rows[i].check(nil) {
			problems = append(problems, fmt.Errorf("table %q: %w", rows[i].Table, problem))
		}
	}
	return problems
}

func (r *Row) check(problems []error) []error {
	if !plainName(r.Table) {
		problems = append(problems, errName)
	}
	if r.Key == "" {
		problems = append(problems, errors.New("a row has no key"))
	}
	seen := uint64(0) // marks of names
	for i := range r.Columns {
		c := &r.Columns[i]
		if err := c.check(); err != nil {
			problems = append(problems, fmt.Errorf("row %q: column %q: %w", r.Key, c.Name, err))
		}
		mark := nameMark(c.Name)
		if seen&mark != 0 && hasColumn(r.Columns[:i], c.Name) {
			problems = append(problems, fmt.Errorf("row %q: column %q is given twice", r.Key, c.Name))
		}
		seen |= mark
	}
	return r.checkIndexes(problems)
}

// nameMark returns a bit that different names seldom share.
func nameMark(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((7*len(name) + 3*int(name[0]) + int(name[len(name)-1])) % 64)
}

func hasColumn(columns []Column, name string) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
}

// checkIndexes sees to it that indexes are of columns that the table has.
func (r *Row) checkIndexes(problems []error) []error {
	for _, list := range r.Indexes {
		if len(list) == 0 {
			problems = append(problems, fmt.Errorf("row %q: an index has no columns", r.Key))
		}
		for i, name := range list {
			if !hasColumn(r.Columns, name) && !taken(name) {
				problems = append(problems, fmt.Errorf("row %q: an index has the column %q, which the row has not", r.Key, name))
			}
			if slices.Contains(list[:i], name) {
				problems = append(problems, fmt.Errorf("row %q: an index has the column %q twice", r.Key, name))
			}
		}
	}
	return problems
}

func (c *Column) check() error {
	if taken(c.Name) {
		return errors.New("the name is taken by the store")
	}
	if !plainName(c.Name) {
		return errName
	}
	switch v := c.Value.(type) {
	case nil, bool, int64, string, []byte, ThreadName:
		return nil
	case float64:
		if math.IsNaN(v) {
			return errors.New("what is not a number has no place in a table")
		}
		return nil
	}
	return fmt.Errorf("a value is nil, bool, int64, float64, string or []byte, not %T", c.Value)
}

// taken reports whether a column is the store's own.
func taken(name string) bool {
	switch name {
	case "thread", "ns", "seq", "key":
		return true
	}
	return false
}

var errName = errors.New("a name is lower-case letters, digits and underscores, a letter first")

// plainName reports whether a table or a column can have a name.
func plainName(s string) bool {
	for i := range len(s) {
		letter := s[i] >= 'a' && s[i] <= 'z'
		if !letter && (i == 0 || s[i] != '_' && (s[i] < '0' || s[i] > '9')) {
			return false
		}
	}
	return s != ""
}
