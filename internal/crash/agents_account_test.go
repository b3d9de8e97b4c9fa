package crash_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
)

// account is what an errand has paid for: answers of models and effects of tools,
// by the text by which one sees that they are kept.
type account struct {
	paid map[string][]int // the lives in which it was paid
	kept map[string]int   // the life that had kept it at its end
}

func newAccount() *account { return &account{map[string][]int{}, map[string]int{}} }

// see notes what is kept at the end of a life.
func (a *account) see(life int, due []string, text string) {
	for _, name := range due {
		if a.kept[name] == 0 && strings.Contains(text, name) {
			a.kept[name] = life
		}
	}
}

// enter notes what was paid in all lives. What is asked that was not asked
// undisturbed is an error.
func (a *account) enter(dir string, asked []request, know map[string]reply) (err error) {
	a.paid = map[string][]int{}
	for _, r := range asked {
		if known, ok := know[r.text]; ok {
			a.paid[known.name] = append(a.paid[known.name], r.life)
		} else {
			err = errors.Join(err, fmt.Errorf("life %d asks what was not asked undisturbed: %s", r.life, r.text))
		}
	}
	effects, bad := (&ledger{path: dir}).effects()
	for _, e := range effects {
		a.paid[keptEffect(e.name)] = append(a.paid[keptEffect(e.name)], e.turn)
	}
	return errors.Join(err, bad)
}

// check says what was paid again though it was kept, or twice in one life, and
// what is missing. A life that did not keep what it paid has been killed: what it
// has paid may be paid once more.
func (a *account) check(due []string) (err error) {
	for _, name := range slices.Sorted(maps.Keys(a.paid)) {
		if !slices.Contains(due, name) {
			err = errors.Join(err, fmt.Errorf("%q is nothing that was paid undisturbed", name))
		}
	}
	for _, name := range due {
		kept, lives := a.kept[name], slices.Sorted(slices.Values(a.paid[name]))
		switch {
		case len(lives) == 0 || kept == 0:
			err = errors.Join(err, fmt.Errorf("%q was paid in the lives %v, and kept in life %d", name, lives, kept))
		case lives[len(lives)-1] > kept:
			err = errors.Join(err, fmt.Errorf("%q was kept in life %d, and paid again: in the lives %v", name, kept, lives))
		case len(slices.Compact(slices.Clone(lives))) < len(lives):
			err = errors.Join(err, fmt.Errorf("%q was paid twice in one of the lives %v", name, lives))
		case len(lives) > kept: // the lives before the one that has kept it were killed
			err = errors.Join(err, fmt.Errorf("%q was paid %d times, with %d kills before it was kept", name, len(lives), kept-1))
		}
	}
	return err
}

// again counts what was paid more than once.
func (a *account) again() (n int) {
	for _, lives := range a.paid {
		n += len(lives) - 1
	}
	return n
}

// heldIn is all that a directory's thread has ever kept, and what the store has
// now: a process may die between the two.
func heldIn(dir string, l *checkpoint.Loaded) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "kept"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return string(data) + strings.Join(textsOf([]checkpoint.Part{{Commits: l.Commits, Pending: l.Pending}}), "\n"), err
}
