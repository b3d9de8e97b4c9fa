package crash_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// The sorts of effects.
const (
	effectTask = "task" // an attempt of a task has begun
	effectCall = "call" // the function that Once was given was called
	effectKept = "kept" // Once has returned without an error
)

// effect is a line of a ledger.
type effect struct {
	turn int    // which of the runs on the thread caused it
	sort string // of effect
	name string // the task's path in its thread; then #attempt, or : and the key
}

// task returns the path of the task that caused the effect.
func (e effect) task() string { return e.name[:strings.IndexAny(e.name, "#:")] }

// ledger is where nodes leave their effects: in memory or, if it has a path,
// in a file that outlives the process.
type ledger struct {
	path string // of a directory; "": in memory

	mu    sync.Mutex
	turn  int
	lines []effect
	made  map[string]bool
	begun map[effect]bool
	alarm func() // called behind each line in memory; nil: nothing
}

// begin counts a turn.
func (l *ledger) begin() {
	l.mu.Lock()
	l.turn++
	l.mu.Unlock()
}

// first reports whether it is called by a name for the first time in this turn.
func (l *ledger) first(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = map[effect]bool{}
	}
	e := effect{turn: l.turn, name: name}
	again := l.begun[e]
	l.begun[e] = true
	return !again
}

// note writes a line. In a file it has an end of its own, and a break before it: a
// kill may fall in the middle of a line, which then was never noted.
func (l *ledger) note(sort, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		l.lines = append(l.lines, effect{l.turn, sort, name})
		if l.alarm != nil {
			l.alarm()
		}
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.path, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%d\t%s\t%s%s", l.turn, sort, name, lineEnd)
	return errors.Join(err, f.Close())
}

// lineEnd ends the lines of a file.
const lineEnd = "\t."

// do is an effect that is idempotent by its name: called again it does nothing.
func (l *ledger) do(name string) error {
	if err := l.note(effectCall, name); err != nil {
		return err
	}
	return l.keep(name)
}

// keep is an effect of which there is only that it was.
func (l *ledger) keep(name string) error {
	if l.path == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.made == nil {
			l.made = map[string]bool{}
		}
		l.made[name] = true
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.path, madePrefix+url.PathEscape(name)), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // it was done before
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// madePrefix begins the names of the files that idempotent effects make.
const madePrefix = "made-"

// distinct returns what idempotent effects there are.
func (l *ledger) distinct() (map[string]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		return maps.Clone(l.made), nil
	}
	files, err := os.ReadDir(l.path)
	out := map[string]bool{}
	for _, f := range files {
		if escaped, ok := strings.CutPrefix(f.Name(), madePrefix); ok {
			name, bad := url.PathUnescape(escaped)
			out[name], err = true, errors.Join(err, bad)
		}
	}
	return out, err
}

// effects returns all lines.
func (l *ledger) effects() ([]effect, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		return append([]effect(nil), l.lines...), nil
	}
	data, err := os.ReadFile(filepath.Join(l.path, "effects"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []effect
	for line := range strings.Lines(string(data)) {
		whole, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), lineEnd)
		if !ok {
			continue // nothing, or cut off
		}
		parts := strings.Split(whole, "\t")
		if len(parts) != 3 {
			return nil, fmt.Errorf("the ledger has the line %q", line)
		}
		turn, bad := strconv.Atoi(parts[0])
		if bad != nil {
			return nil, bad
		}
		out = append(out, effect{turn, parts[1], parts[2]})
	}
	return out, err
}
