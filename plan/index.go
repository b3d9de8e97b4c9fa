package plan

import (
	"sync/atomic"
)

// index is what an executor knows of a plan beside the plan itself: made once,
// for as long as the plan stays the same.
type index struct {
	plan   *Plan
	linear bool
	at     map[string]int // places of steps by id
	next   [][]int        // by place: the steps that depend on it
	roots  []int          // steps that depend on none
	texts  []stepTexts    // by place
}

// cache keeps the index of the plan that was looked at last. Plans in a state do
// not change, so those that share their steps are one.
type cache struct{ last atomic.Pointer[index] }

func (c *cache) of(p *Plan, x *compiler) (*index, error) {
	if ix := c.last.Load(); ix != nil && ix.same(p) {
		return ix, nil
	}
	ix, err := newIndex(p, x)
	if err == nil {
		c.last.Store(ix)
	}
	return ix, err
}

func (ix *index) same(p *Plan) bool {
	q := ix.plan
	return len(p.Steps) > 0 && len(q.Steps) == len(p.Steps) && &q.Steps[0] == &p.Steps[0] &&
		q.ID == p.ID && q.Version == p.Version && q.Goal == p.Goal && q.Order == p.Order && q.More == p.More
}

// newIndex makes the index of a plan that is known to be right.
func newIndex(p *Plan, x *compiler) (*index, error) {
	own := *p
	ix := &index{plan: &own, linear: p.linear(), at: make(map[string]int, len(p.Steps)), next: make([][]int, len(p.Steps)), texts: make([]stepTexts, len(p.Steps))}
	for i := range p.Steps {
		ix.at[p.Steps[i].ID] = i
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if len(s.DependsOn) == 0 {
			ix.roots = append(ix.roots, i)
		}
		for _, id := range s.DependsOn {
			d := ix.at[id]
			ix.next[d] = append(ix.next[d], i)
		}
		var err error
		if ix.texts[i], err = x.step(s); err != nil {
			return nil, err
		}
	}
	return ix, nil
}

// step returns a step by its id; nil: there is none.
func (ix *index) step(id string) *Step {
	if i, ok := ix.at[id]; ok {
		return &ix.plan.Steps[i]
	}
	return nil
}
