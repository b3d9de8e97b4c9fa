package handoffs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/graphrun/graphrun/internal/topo"
)

// mostSuggestions bounds the names that a lookup suggests.
const mostSuggestions = 3

// Lookup returns the profile that a name stands for: an agent's id or name,
// letter by letter, else without regard to case, spaces, underscores and
// hyphens. If it stands for none, or for several, there is no profile, and the
// ids of those that may have been meant are suggested, at most three, best first.
// A name that is only near is never taken. The profile must not be changed.
func (r *Registry) Lookup(name string) (p *Profile, suggestions []string, ok bool) {
	if p, ok := r.Get(name); ok {
		return p, nil, true
	}
	if r.Len() == 0 {
		return nil, nil, false
	}
	alike := r.plain[plainName(name)]
	exact := slices.DeleteFunc(slices.Clone(alike), func(i int) bool { return r.list[i].Name != name })
	if len(exact) > 0 {
		alike = exact
	}
	switch len(alike) {
	case 0:
		return nil, r.nearest(name), false
	case 1:
		return &r.list[alike[0]], nil, true
	}
	for _, i := range alike[:min(len(alike), mostSuggestions)] {
		suggestions = append(suggestions, r.list[i].ID)
	}
	return nil, suggestions, false
}

// nearest returns the ids of the agents whose ids or names are nearest to name.
func (r *Registry) nearest(name string) []string {
	owner := make(map[string]string, 2*len(r.list))
	var among, out []string
	for p := range r.All() {
		for _, n := range []string{p.ID, p.Name} {
			if _, taken := owner[n]; n != "" && !taken {
				owner[n] = p.ID
				among = append(among, n)
			}
		}
	}
	for len(out) < mostSuggestions {
		best, ok := topo.Nearest(name, among)
		if !ok {
			break
		}
		out = append(out, owner[best])
		among = slices.DeleteFunc(among, func(n string) bool { return owner[n] == owner[best] })
	}
	return out
}

// index fills the map of plain forms.
func (r *Registry) index() {
	for i := range r.list {
		p := &r.list[i]
		for _, n := range []string{p.ID, p.Name} {
			plain := plainName(n)
			if plain != "" && !slices.Contains(r.plain[plain], i) {
				r.plain[plain] = append(r.plain[plain], i)
			}
		}
	}
}

// plainName returns a name in lower case, without spaces, underscores and
// hyphens of any sort.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.In(c, unicode.Pc, unicode.Pd) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}
