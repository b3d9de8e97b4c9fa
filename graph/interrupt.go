package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// Question is an open interrupt: what a task asks, and waits for.
type Question struct {
	ID    string   // stable while it is open; answers go by it
	Key   string   // as the node gave it; may be empty
	NS    []string // the path of subgraph nodes; empty: the root
	Node  string
	Value any // as JSON holds it: nil, bool, int64, float64, string, []any, map[string]any
}

// Interrupt asks a question and pauses the run until it is answered by a value
// of type R. While there is no answer it returns an ErrInterrupted, which the
// node returns in turn. When the run is resumed the node runs again from its
// top, and Interrupt returns the answer; effects that must not be repeated go
// into Once.
//
// The key tells the questions of one task apart; questions without a key are
// told apart by the order in which they come. Several may be asked at once, by
// several goroutines of the node; with keys then. value and answer are stored
// as JSON. Without a store the error is ErrNoStore.
func Interrupt[R any](ctx context.Context, key string, value any) (R, error) {
	var answer R
	t, err := taskOf(ctx)
	if err != nil {
		return answer, err
	}
	if t.frame.log == nil {
		return answer, fmt.Errorf("graph: node %q: interrupt %q (%v): %w", t.node().name, key, value, ErrNoStore)
	}
	id, err := t.questions().id(t, key)
	if err != nil {
		return answer, err
	}
	given, ok, err := t.answer(id)
	switch {
	case err != nil:
		return answer, late(err)
	case !ok:
		return answer, t.ask(id, key, value)
	}
	if err := decodeAnswer(given, &answer); err != nil {
		if err := t.frame.log.Refuse(int(t.id.Step), id); err != nil {
			return answer, fmt.Errorf("%w: %w", ErrStore, err)
		}
		return answer, fmt.Errorf("%w: question %q of node %q takes a %T: %w; it is open again", ErrAnswer, id, t.node().name, answer, err)
	}
	return answer, nil
}

// answer returns the answer to a question: its own, or the one that waits for
// whatever is asked first.
func (t *taskContext) answer(id string) (json.RawMessage, bool, error) {
	given, ok, err := t.frame.log.Answer(int(t.id.Step), id)
	if ok || err != nil {
		return given, ok, err
	}
	floating, ok := t.frame.session.takeAnswer()
	if !ok {
		return nil, false, nil
	}
	t.frame.log.NoteAsk()
	if err := t.frame.session.root.NoteAnswer(); err != nil {
		return nil, false, err
	}
	return floating, true, t.frame.log.Give(int(t.id.Step), id, floating)
}

// late names the error of a task that goes on after its step is over.
func late(err error) error {
	if errors.Is(err, journal.ErrOver) {
		return fmt.Errorf("%w: %w", ErrLeftBehind, err)
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}

func decodeAnswer(data []byte, answer any) error {
	if to, ok := answer.(*any); ok {
		v, err := state.ParseAny(data)
		*to = v
		return err
	}
	return json.Unmarshal(data, answer)
}

// encodeValue writes a value of the user's as JSON; plain values as the state
// has them, so that 2.0 stays a float.
func encodeValue(v any) ([]byte, error) {
	if b, err := state.AppendAny(nil, v); err == nil {
		return b, nil
	}
	return json.Marshal(v)
}

// questions are what one attempt of a task has asked.
type questions struct {
	mu      sync.Mutex
	attempt int32
	count   int             // of those without a key
	keys    map[string]bool // used by the attempt
	open    []journal.Ask
}

// id makes the id of a question.
func (q *questions) id(t *taskContext, key string) (string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.attempt != t.attempt {
		if t.attempt < q.attempt {
			return "", fmt.Errorf("%w: another attempt of the task has begun", ErrLeftBehind)
		}
		q.attempt, q.count, q.keys, q.open = t.attempt, 0, nil, nil
	}
	if key == "" {
		q.count++
		return t.frame.place(t.id) + ":" + strconv.Itoa(q.count), nil
	}
	if q.keys[key] {
		return "", fmt.Errorf("graph: node %q asks by the key %q twice; give each question of a task a key of its own", t.node().name, key)
	}
	if q.keys == nil {
		q.keys = map[string]bool{}
	}
	q.keys[key] = true
	return t.frame.place(t.id) + ":" + key, nil
}

// ask notes an open question.
func (t *taskContext) ask(id, key string, value any) error {
	data, err := encodeValue(value)
	if err != nil {
		return fmt.Errorf("graph: node %q: interrupt %q: its value cannot be stored: %w", t.node().name, key, err)
	}
	ask := journal.Ask{ID: id, Key: key, Node: t.node().name, Path: t.frame.at.ns, Value: data}
	q := t.questions()
	q.mu.Lock()
	q.open = append(q.open, ask)
	q.mu.Unlock()
	return &pausedError{[]journal.Ask{ask}}
}

// questions returns where the task's questions are noted.
func (t *taskContext) questions() *questions {
	return t.frame.session.questionsOf(t.frame.place(t.id))
}

// asked returns the open questions of a task's last attempt.
func (t *taskContext) asked() []journal.Ask {
	if t.frame.log == nil || !t.frame.session.asked.Load() {
		return nil
	}
	return t.frame.session.takeQuestions(t.frame.place(t.id))
}

// pausedError is how a task ends that waits: with questions of its own or of
// the subgraph that it ran, or with none if that was paused at a node.
type pausedError struct{ asks []journal.Ask }

// Error names the nodes and the questions.
func (e *pausedError) Error() string {
	if len(e.asks) == 0 {
		return ErrInterrupted.Error()
	}
	parts := make([]string, len(e.asks))
	for i, a := range e.asks {
		parts[i] = fmt.Sprintf("node %q asks %s (%s)", a.Node, a.Value, a.ID)
	}
	return ErrInterrupted.Error() + ": " + strings.Join(parts, "; ")
}

// Is says that it is an ErrInterrupted.
func (e *pausedError) Is(err error) bool { return err == ErrInterrupted }

// paused makes the result of a task that waits, if it does: it has asked and
// did not fail for another reason.
func (r *run) paused(t *taskContext, res *kernel.Result, err error) bool {
	if t.frame.log == nil || err != nil && !errors.Is(err, ErrInterrupted) {
		return false
	}
	asks := t.asked()
	if err == nil && len(asks) == 0 {
		return false
	}
	p := &pausedError{asks}
	if inner := (*pausedError)(nil); len(asks) == 0 && errors.As(err, &inner) {
		p = inner
	}
	*res = kernel.Result{Status: kernel.Paused, Err: p}
	if t.frame.sink != nil {
		for _, a := range p.asks {
			if len(a.Path) == len(t.frame.at.ns) && t.open() {
				t.frame.sink.put(&Asked{Head: t.head(), Question: question(a)})
			}
		}
		t.end()
	}
	return true
}

// question is the public form of a stored question.
func question(a journal.Ask) Question {
	v, err := state.ParseAny(a.Value)
	if err != nil {
		v = string(a.Value)
	}
	return Question{ID: a.ID, Key: a.Key, NS: a.Path, Node: a.Node, Value: v}
}

func questionsOf(asks []journal.Ask) []Question {
	out := make([]Question, len(asks))
	for i, a := range asks {
		out[i] = question(a)
	}
	return out
}
