package state

import (
	"errors"
	"fmt"
)

// problems collects what is wrong with lists of operations, up to a number that
// can be read.
type problems struct {
	list  int // the one at hand
	lists int // how many there are
	found []error
	more  bool
}

const maxProblems = 20

// each visits the rows of all lists. What cannot be read ends it.
func (p *problems) each(lists [][]byte, visit func(n int, one *row) bool) error {
	p.lists = len(lists)
	reader := new(rowReader)
	for i, list := range lists {
		p.list = i
		*reader = rowReader{data: list}
		if err := reader.each(visit); err != nil {
			p.add(err)
			break
		}
	}
	if p.more {
		p.found = append(p.found, errors.New("state: and more"))
	}
	return errors.Join(p.found...)
}

func (p *problems) add(err error) {
	switch {
	case len(p.found) == maxProblems:
		p.more = true
	case p.lists > 1:
		p.found = append(p.found, fmt.Errorf("state: list %d: %w", p.list, err))
	default:
		p.found = append(p.found, fmt.Errorf("state: %w", err))
	}
}

func (p *problems) none() bool { return len(p.found) == 0 }

// full reports whether there is no use in looking for more.
func (p *problems) full() bool { return p.more }
