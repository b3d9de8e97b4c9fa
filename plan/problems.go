package plan

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrPlan is what every error of a plan that cannot be used is.
var ErrPlan = errors.New("plan: not valid")

// Problems are all the things that are wrong with a plan, each a *Problem. It is
// an ErrPlan.
type Problems struct {
	List   []error
	Answer string // of the model that gave the plan; "": none did
}

// Error tells one problem a line.
func (p *Problems) Error() string {
	if len(p.List) == 1 {
		return "plan: " + p.List[0].Error()
	}
	return fmt.Sprintf("plan: %d problems:\n  %s", len(p.List), strings.Join(p.texts(), "\n  "))
}

// Unwrap returns ErrPlan and the problems.
func (p *Problems) Unwrap() []error { return append([]error{ErrPlan}, p.List...) }

func (p *Problems) texts() []string {
	texts := make([]string, len(p.List))
	for i, e := range p.List {
		texts[i] = e.Error()
	}
	return texts
}

// Problem is one of them.
type Problem struct {
	Place int    // of the step in the plan, from 1; 0: it is not about one step
	Key   string // the part of the step, named as in JSON; "": the whole step
	Err   error
}

// Error tells what is wrong, and in which step.
func (p *Problem) Error() string { return p.Err.Error() }

// Unwrap returns what is wrong.
func (p *Problem) Unwrap() error { return p.Err }

// problems gathers what is wrong; place and key say what is looked at.
type problems struct {
	list  []error
	place int
	key   string
}

func (p *problems) add(format string, args ...any) {
	p.list = append(p.list, &Problem{p.place, p.key, fmt.Errorf(format, args...)})
}

// at says which part of which step is looked at; 0: none.
func (p *problems) at(place int, key string) { p.place, p.key = place, key }

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &Problems{List: p.list}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
