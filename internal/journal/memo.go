package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
)

// ErrOver tells a task that its step is over: what it brings comes too late.
var ErrOver = errors.New("the task's step is over")

// Ask is an open question of a task.
type Ask struct {
	ID    string          `json:"id"`
	Key   string          `json:"key,omitempty"`
	Node  string          `json:"node"`
	Path  []string        `json:"path,omitempty"` // of subgraph nodes
	Value json.RawMessage `json:"value"`
}

// Fault is a stored failure of a task.
type Fault struct {
	Kind    kernel.Kind `json:"kind"`
	Message string      `json:"message"`
}

// What is pending behind a commit, by the first letter of its key; then the
// task's place in its step follows, but for answers, which go by question.
const (
	keyResult = 'r'
	keyAsks   = 'q'
	keyFault  = 'e'
	keyOnce   = 'o'
	keyTally  = 't'
	keyAnswer = 'a'
)

// memo is what the tasks of the step at work have brought so far.
type memo struct {
	used    bool
	answers map[string]json.RawMessage // by question
	once    map[string]json.RawMessage // by task and key
	tally   map[string]int             // by task and key
	owed    []checkpoint.Pending       // in Exit mode
}

func (m *memo) clear() { *m = memo{} }

func (m *memo) make() {
	if !m.used {
		*m = memo{true, map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[string]int{}, nil}
	}
}

func key(kind byte, task int) string { return string(strconv.AppendInt([]byte{kind}, int64(task), 10)) }

func namedKey(kind byte, task int, name string) string { return key(kind, task) + ":" + name }

// AnsweredKey is the key of an entry that says that questions of the step, or of
// a subgraph's run behind it, were answered.
const AnsweredKey = "answered"

// AnswerKey is the key under which the answer to a question is pending.
func AnswerKey(id string) string { return string(keyAnswer) + ":" + id }

// keep hands over something that is pending behind the newest commit. wait
// says that it must be stored before the caller goes on; j.mu is held and is
// given up meanwhile.
func (j *Journal) keep(wait bool, entries ...checkpoint.Pending) error {
	if j.queue.mode == Exit || j.head == 0 { // before the first commit there is nothing to be pending behind
		for _, e := range entries {
			j.memo.owed = slices.DeleteFunc(j.memo.owed, func(p checkpoint.Pending) bool { return p.Key == e.Key })
		}
		j.memo.owed = append(j.memo.owed, entries...)
		return nil
	}
	part := checkpoint.Part{NS: j.ns, Head: j.head, Pending: entries}
	if !wait {
		return j.queue.Later(part)
	}
	j.mu.Unlock()
	defer j.mu.Lock()
	return j.queue.Put(part)
}

// enter locks the journal for a task of the given step.
func (j *Journal) enter(step int) error {
	j.mu.Lock()
	if j.over || step != j.step {
		j.mu.Unlock()
		return ErrOver
	}
	j.memo.make()
	return nil
}

// SaveResult keeps the result of a task that has succeeded. One that leaves
// for the parent graph has no stored form: its task will run again.
func (j *Journal) SaveResult(id kernel.TaskID, r *kernel.Result) error {
	if r.Command.Parent() != nil {
		return nil
	}
	body, err := j.Plan.EncodeSaved(r, j.Layout)
	if err != nil {
		return err
	}
	return j.save(id, keyResult, body)
}

// SaveAsks keeps the open questions of a task.
func (j *Journal) SaveAsks(id kernel.TaskID, asks []Ask) error {
	body, err := json.Marshal(asks)
	if err != nil {
		return err
	}
	return j.save(id, keyAsks, body)
}

// SaveFault keeps how a task failed.
func (j *Journal) SaveFault(id kernel.TaskID, f Fault) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return j.save(id, keyFault, body)
}

func (j *Journal) save(id kernel.TaskID, kind byte, body []byte) error {
	if err := j.enter(int(id.Step)); err != nil {
		return nil // nobody counts on it any more
	}
	defer j.mu.Unlock()
	return j.keep(false, checkpoint.Pending{Key: key(kind, int(id.Index)), Body: body})
}

// DropResults forgets the results of a step's tasks: they do not go together.
func (j *Journal) DropResults(tasks int) error {
	gone := make([]checkpoint.Pending, tasks)
	for i := range gone {
		gone[i].Key = key(keyResult, i)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.keep(false, gone...)
}

// Answer returns the answer to a question; false if there is none yet.
func (j *Journal) Answer(step int, id string) (json.RawMessage, bool, error) {
	if err := j.enter(step); err != nil {
		return nil, false, err
	}
	defer j.mu.Unlock()
	a, ok := j.memo.answers[id]
	return a, ok, nil
}

// Give stores the answer to a question, before it returns.
func (j *Journal) Give(step int, id string, answer json.RawMessage) error {
	if err := j.enter(step); err != nil {
		return err
	}
	defer j.mu.Unlock()
	j.memo.answers[id] = answer
	return j.keep(true, checkpoint.Pending{Key: AnswerKey(id), Body: answer})
}

// NoteAnswer notes that a question of the step at work was answered, in this
// log or in one further in, and keeps that with the step.
func (j *Journal) NoteAnswer() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		return nil
	}
	j.asked = true
	j.memo.make()
	return j.keep(false, checkpoint.Pending{Key: AnsweredKey, Body: []byte("true")})
}

// Refuse takes an answer back that does not fit its question.
func (j *Journal) Refuse(step int, id string) error {
	if err := j.enter(step); err != nil {
		return err
	}
	defer j.mu.Unlock()
	delete(j.memo.answers, id)
	return j.keep(true, checkpoint.Pending{Key: AnswerKey(id)})
}

// Recalled returns what a task has kept under a name; false if it has not.
func (j *Journal) Recalled(id kernel.TaskID, name string) (json.RawMessage, bool, error) {
	if err := j.enter(int(id.Step)); err != nil {
		return nil, false, err
	}
	defer j.mu.Unlock()
	v, ok := j.memo.once[namedKey(keyOnce, int(id.Index), name)]
	return v, ok, nil
}

// Keep keeps a value for a task under a name, before it returns.
func (j *Journal) Keep(id kernel.TaskID, name string, value json.RawMessage) error {
	if err := j.enter(int(id.Step)); err != nil {
		return err
	}
	defer j.mu.Unlock()
	k := namedKey(keyOnce, int(id.Index), name)
	if err := j.keep(true, checkpoint.Pending{Key: k, Body: value}); err != nil {
		return err
	}
	if j.memo.used {
		j.memo.once[k] = value
	}
	return nil
}

// Tally counts for a task, and stores the count before it returns.
func (j *Journal) Tally(id kernel.TaskID, name string) (int, error) {
	if err := j.enter(int(id.Step)); err != nil {
		return 0, err
	}
	defer j.mu.Unlock()
	k := namedKey(keyTally, int(id.Index), name)
	j.memo.tally[k]++
	n := j.memo.tally[k]
	return n, j.keep(true, checkpoint.Pending{Key: k, Body: strconv.AppendInt(nil, int64(n), 10)})
}

// Step is what is pending behind a commit, task by task.
type Step struct {
	Results map[int]json.RawMessage
	Asks    map[int][]Ask
	Faults  map[int]Fault
	Asked   bool // the step was answered, wherever the question came up
	answers map[string]json.RawMessage
	once    map[string]json.RawMessage
	tally   map[string]int
}

// ReadPending sorts what is pending behind a commit.
func ReadPending(entries []checkpoint.Pending) (*Step, error) {
	s := &Step{
		Results: map[int]json.RawMessage{}, Asks: map[int][]Ask{}, Faults: map[int]Fault{},
		answers: map[string]json.RawMessage{}, once: map[string]json.RawMessage{}, tally: map[string]int{},
	}
	for _, e := range entries {
		if err := s.read(e); err != nil {
			return nil, fmt.Errorf("pending entry %q: %w: %w", e.Key, checkpoint.ErrCorrupt, err)
		}
	}
	return s, nil
}

func (s *Step) read(e checkpoint.Pending) error {
	switch e.Key {
	case "":
		return errors.New("it has no key")
	case AnsweredKey:
		s.Asked = true
		return nil
	}
	place, name, _ := strings.Cut(e.Key[1:], ":")
	if e.Key[0] == keyAnswer {
		s.answers[name] = e.Body
		return nil
	}
	task, err := strconv.Atoi(place)
	if err != nil {
		return err
	}
	switch e.Key[0] {
	case keyResult:
		s.Results[task] = e.Body
	case keyAsks:
		var asks []Ask
		err = json.Unmarshal(e.Body, &asks)
		s.Asks[task] = asks
	case keyFault:
		var f Fault
		err = json.Unmarshal(e.Body, &f)
		s.Faults[task] = f
	case keyOnce:
		s.once[e.Key] = e.Body
	case keyTally:
		s.tally[e.Key], err = strconv.Atoi(string(e.Body))
	default:
		err = errors.New("nothing goes by such a key")
	}
	return err
}

// Open returns the questions of a task that have no answer; answered says
// that others of it have one.
func (s *Step) Open(task int) (open []Ask, answered bool) {
	for _, a := range s.Asks[task] {
		if _, ok := s.answers[a.ID]; ok {
			answered = true
		} else {
			open = append(open, a)
		}
	}
	return open, answered
}
