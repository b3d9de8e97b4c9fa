package handoffs

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// ErrRegistry: profiles do not make a registry.
var ErrRegistry = errors.New("invalid registry")

// RegistryConfig holds what a Registry can be given. Nil means its zero value.
type RegistryConfig struct {
	// Available says whether an agent can work now; nil: as its profile says.
	// It is asked for registered agents only, whatever their profiles say, and
	// may be called by several goroutines at once. To be replayed it must give
	// the same answer at the same time.
	Available func(id string, now time.Time) bool
}

// Registry holds the profiles of agents. It is a value that does not change;
// With returns one with more. It may be used by any number of goroutines at
// once. Nil and the zero Registry hold no agents.
type Registry struct {
	list  []Profile // in the order of registration
	byID  map[string]int
	plain map[string][]int // by the plain form of ids and names
	cfg   RegistryConfig
	err   error
}

// NewRegistry returns a registry of profiles, which are copied. Empty ids, ids
// that are there twice and numbers that are none are one ErrRegistry that names
// them all.
func NewRegistry(cfg *RegistryConfig, profiles ...Profile) (*Registry, error) {
	r := &Registry{}
	if cfg != nil {
		r.cfg = *cfg
	}
	r = r.With(profiles...)
	problems := append(profileProblems(profiles), doubledIDs(profiles)...)
	if len(problems) > 0 {
		return nil, registryError(problems)
	}
	return r, nil
}

// MustRegistry returns a registry of profiles, with a zero RegistryConfig. It
// panics where NewRegistry fails: it is for profiles that the program itself
// writes down.
func MustRegistry(profiles ...Profile) *Registry {
	r, err := NewRegistry(nil, profiles...)
	if err != nil {
		panic(err)
	}
	return r
}

// With returns a registry with more profiles, which are copied. One with an id
// that is there already replaces that profile and keeps its place; of several
// with one id the last counts. What is wrong with a profile is told by Err, and
// the profile is left out.
func (r *Registry) With(profiles ...Profile) *Registry {
	out := &Registry{byID: make(map[string]int), plain: make(map[string][]int)}
	if r != nil {
		out.list, out.cfg, out.err = slices.Clone(r.list), r.cfg, r.err
	}
	for i := range out.list {
		out.byID[out.list[i].ID] = i
	}
	for i := range profiles {
		if profiles[i].problem() == "" {
			out.put(profiles[i].clone())
		}
	}
	if problems := profileProblems(profiles); len(problems) > 0 {
		out.err = errors.Join(out.err, registryError(problems))
	}
	out.index()
	return out
}

func (r *Registry) put(p Profile) {
	if i, ok := r.byID[p.ID]; ok {
		r.list[i] = p
		return
	}
	r.byID[p.ID] = len(r.list)
	r.list = append(r.list, p)
}

// Err returns what was wrong with profiles that were given to With, an
// ErrRegistry; nil: nothing. A Manager is not made of a registry that has one.
func (r *Registry) Err() error {
	if r == nil {
		return nil
	}
	return r.err
}

// Len returns the number of agents.
func (r *Registry) Len() int {
	if r == nil {
		return 0
	}
	return len(r.list)
}

// Get returns an agent's profile by its id, letter by letter. It must not be
// changed.
func (r *Registry) Get(id string) (*Profile, bool) {
	if r == nil {
		return nil, false
	}
	i, ok := r.byID[id]
	if !ok {
		return nil, false
	}
	return &r.list[i], true
}

// All yields the profiles in the order of registration. They must not be
// changed.
func (r *Registry) All() iter.Seq[*Profile] {
	return func(yield func(*Profile) bool) {
		for i := range r.Len() {
			if !yield(&r.list[i]) {
				return
			}
		}
	}
}

// where returns the profiles of which keep holds, in order.
func (r *Registry) where(keep func(*Profile) bool) []*Profile {
	var out []*Profile
	for p := range r.All() {
		if keep(p) {
			out = append(out, p)
		}
	}
	return out
}

// Available reports whether an agent is registered and can work at a time.
func (r *Registry) Available(id string, now time.Time) bool {
	p, ok := r.Get(id)
	switch {
	case !ok:
		return false
	case r.cfg.Available != nil:
		return r.cfg.Available(id, now)
	}
	return !p.Unavailable
}

// ForCapability returns the agents that could get a handoff for a capability:
// they accept handoffs, can work at the time, and have the capability or are
// specialized in it. "" is a capability that every agent has.
func (r *Registry) ForCapability(capability string, now time.Time) []*Profile {
	return r.where(func(p *Profile) bool {
		return !p.Refuses && p.Has(capability) && r.Available(p.ID, now)
	})
}

// Selectable returns the agents that users may choose.
func (r *Registry) Selectable() []*Profile {
	return r.where(func(p *Profile) bool { return p.Selectable })
}

// Accepting returns the agents that accept handoffs, whether they can work now
// or not.
func (r *Registry) Accepting() []*Profile {
	return r.where(func(p *Profile) bool { return !p.Refuses })
}

// profileProblems says what is wrong with profiles one by one.
func profileProblems(profiles []Profile) []string {
	var out []string
	for i := range profiles {
		if what := profiles[i].problem(); what != "" {
			out = append(out, fmt.Sprintf("profile %d (%q): %s", i+1, profiles[i].Title(), what))
		}
	}
	return out
}

// doubledIDs names the ids that several profiles have, once each.
func doubledIDs(profiles []Profile) []string {
	count := make(map[string]int, len(profiles))
	var out []string
	for i := range profiles {
		id := profiles[i].ID
		if count[id]++; count[id] == 2 && id != "" {
			out = append(out, fmt.Sprintf("id %q is there more than once: give each agent its own", id))
		}
	}
	return out
}

func registryError(problems []string) error {
	return fmt.Errorf("handoffs: %w: %s", ErrRegistry, strings.Join(problems, "; "))
}
