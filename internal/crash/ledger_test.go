package crash_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
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
	effectMade = "made" // what it does was done: only once for each key, however often it is called
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
}

// begin counts a turn.
func (l *ledger) begin() {
	l.mu.Lock()
	l.turn++
	l.mu.Unlock()
}

// note writes a line. A line of a file is there as a whole as soon as it is.
func (l *ledger) note(sort, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		l.lines = append(l.lines, effect{l.turn, sort, name})
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.path, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d\t%s\t%s\n", l.turn, sort, name)
	return errors.Join(err, f.Close())
}

// do is an effect that is idempotent by its name.
func (l *ledger) do(name string) error {
	if err := l.note(effectCall, name); err != nil {
		return err
	}
	if again, err := l.claimed(name); again || err != nil {
		return err
	}
	return l.note(effectMade, name)
}

// claimed takes a name, and reports whether it was taken before.
func (l *ledger) claimed(name string) (bool, error) {
	if l.path == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.made == nil {
			l.made = map[string]bool{}
		}
		again := l.made[name]
		l.made[name] = true
		return again, nil
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	f, err := os.OpenFile(filepath.Join(l.path, "made-"+strconv.FormatUint(h.Sum64(), 16)), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, f.Close()
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
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 3 || !strings.HasSuffix(line, "\n") {
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
