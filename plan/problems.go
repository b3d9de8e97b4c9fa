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

// Problems are all the things that are wrong with a plan. It is an ErrPlan.
type Problems struct{ List []error }

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

type problems struct{ list []error }

func (p *problems) add(format string, args ...any) {
	p.list = append(p.list, fmt.Errorf(format, args...))
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &Problems{List: p.list}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
