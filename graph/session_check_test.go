package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// sesGot is what the engine says of a run.
type sesGot struct {
	res      graph.Result[refState]
	err      error
	streamed bool
	told     []string // of a streamed run: the tasks that have finished
	ended    bool     // its last event has come
}

func sesInvoke(res graph.Result[refState], err error) sesGot {
	return sesGot{res: res, err: err, ended: true}
}

func sesStream(events iter.Seq2[graph.Event, error]) (got sesGot) {
	got.streamed = true
	for e, err := range events {
		if err != nil {
			got.err = err
			continue
		}
		h := graph.HeadOf(e)
		switch e := e.(type) {
		case *graph.TaskFinished:
			if !e.Leaves {
				got.told = append(got.told, fmt.Sprintf("%s/%s@%d", strings.Join(h.NS, "/"), e.Node, h.Step))
			}
		case *graph.Asked:
			got.res.Interrupts = append(got.res.Interrupts, e.Question)
		case *graph.Dropped:
			got.res.Dropped = e.Nodes
		case *graph.RunFinished:
			if len(h.NS) == 0 {
				got.res.Outcome, got.res.Next, got.ended = e.Outcome, e.Next, true
			}
		}
	}
	return got
}

func same[T any](what string, got, want T) error {
	g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want)
	if g != w {
		return fmt.Errorf("%s: got %s, want %s", what, g, w)
	}
	return nil
}

func sameSet(what string, got, want []string) error {
	g, w := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(g, w) {
		return fmt.Errorf("%s:\n    %s\nwant:\n    %s", what, strings.Join(g, "\n    "), strings.Join(w, "\n    "))
	}
	return nil
}

// compareRun compares how a run came out.
func (w *sesWorld) compareRun(want sesWant, got *sesGot, name string) error {
	if want.refused != nil {
		w.tally["refused"]++
		w.say("  refused: %v", got.err)
		err := refusal(got.err, want.refused)
		if !got.streamed {
			err = errors.Join(err, same("outcome", got.res.Outcome, graph.OutcomeFailed))
		}
		return err
	}
	end := want.end
	w.tally[end.outcome]++
	w.say("  %s %s, next %v, questions %v", end.outcome, end.kind, end.next, texts(end.asks))
	err := errors.Join(same("outcome", string(got.res.Outcome), end.outcome), sameKind(got.err, end, want.op.floating != nil), same("dropped", got.res.Dropped, end.dropped), same("next", got.res.Next, end.next))
	if err == nil && (end.outcome == "interrupted" || !got.streamed) {
		err = w.questions("run", got.res.Interrupts, end.asks, got.streamed)
	}
	if got.streamed {
		return errors.Join(err, sameSet("tasks told as finished", got.told, want.op.told))
	}
	if want.log != nil {
		head := want.log.head()
		err = errors.Join(err, same("result's step", got.res.Step, head.step), same("result's state", got.res.State.String(), head.state.String()))
	}
	return err
}

// sameKind compares an error with what a run ended with.
func sameKind(err error, end *refEnd, unused bool) error {
	var placed *graph.Error
	switch {
	case end.outcome == "done" && unused:
		return refusal(err, graph.ErrAnswer)
	case end.outcome == "done":
		return same("error", err, nil)
	case !errors.As(err, &placed):
		return fmt.Errorf("error %v is no *graph.Error", err)
	case end.outcome == "interrupted":
		return refusal(err, graph.ErrInterrupted)
	case end.outcome == "cancelled":
		return errors.Join(refusal(err, graph.ErrCancelled), refusal(err, graph.ErrDrained))
	}
	return same("kind of "+strconv.Quote(err.Error()), string(placed.Kind()), end.kind)
}

func texts(qs []*refQuestion) (out []string) {
	for _, q := range qs {
		out = append(out, q.Path+"/"+q.Value)
	}
	return out
}

// questions compares open questions and learns the ids of new ones.
func (w *sesWorld) questions(what string, got []graph.Question, want []*refQuestion, sorted bool) error {
	var g []string
	for _, q := range got {
		g = append(g, strings.Join(q.NS, "/")+"/"+q.Node+" "+q.Key+" "+fmt.Sprint(q.Value))
	}
	var r []string
	for _, q := range want {
		r = append(r, q.Path+"/"+q.Node+" "+q.Key+" "+q.Value)
	}
	if sorted { // events of tasks that ran at once come in any order
		return sameSet(what+"'s questions", g, r)
	}
	if err := same(what+"'s questions", g, r); err != nil {
		return err
	}
	for i, q := range want {
		id := got[i].ID
		switch {
		case q.ID != "" && q.ID != id:
			return fmt.Errorf("%s: question %q was called %q and is called %q", what, q.Value, q.ID, id)
		case q.ID == "":
			q.ID = id
			w.seen = append(w.seen, id)
		}
		for _, other := range want[:i] {
			if other.ID == id {
				return fmt.Errorf("%s: two questions are called %q", what, id)
			}
		}
	}
	return nil
}

// check compares where a thread stands, and its history.
func (w *sesWorld) check(name string) error {
	log := w.ref[name]
	now, err := w.g.State(context.Background(), name, "")
	if log == nil {
		return refusal(err, graph.ErrUnknown)
	}
	if err != nil {
		return err
	}
	if err := w.checkHistory(name, log); err != nil {
		return err
	}
	head := log.head()
	return errors.Join(w.row("state", now, log, head, dueNames(head.left())), w.questions("state", now.Interrupts, head.open(), false), w.tasks(now.Tasks, head))
}

// row compares a checkpoint.
func (w *sesWorld) row(what string, got *graph.Snapshot[refState], log *refLog, want *refRow, next []string) error {
	show := func(values, next, source, name, parent any, step int) string {
		return fmt.Sprintf("%v next %v, %v, step %v, checkpoint %v behind %q", values, next, source, step, name, parent)
	}
	return same(what, show(got.Values.String(), got.Next, got.Source, got.Checkpoint, got.Parent, got.Step),
		show(want.state.String(), next, want.source, log.name[want.id], log.name[want.parent], want.step))
}

func (w *sesWorld) checkHistory(name string, log *refLog) error {
	var rows []*graph.Snapshot[refState]
	for s, err := range w.g.History(context.Background(), name, nil) {
		if err != nil {
			return err
		}
		rows = append(rows, s)
	}
	slices.Reverse(rows)
	if len(rows) != len(log.rows) {
		var b strings.Builder
		for _, row := range rows {
			fmt.Fprintf(&b, "\n    %s %s step %d next %v", row.Checkpoint, row.Source, row.Step, row.Next)
		}
		for _, row := range log.rows {
			fmt.Fprintf(&b, "\n  want %d %s step %d next %v", row.id, row.source, row.step, dueNames(row.tasks))
		}
		return fmt.Errorf("the history has %d rows, want %d%s", len(rows), len(log.rows), b.String())
	}
	last := 0
	for i, row := range log.rows {
		n, err := strconv.Atoi(rows[i].Checkpoint)
		if err != nil || n <= last {
			return fmt.Errorf("checkpoint %q comes behind %d", rows[i].Checkpoint, last)
		}
		last = n
		if _, ok := log.name[row.id]; !ok {
			log.name[row.id] = rows[i].Checkpoint
		}
		if err := w.row(fmt.Sprintf("row %d of the history", i), rows[i], log, row, dueNames(row.tasks)); err != nil {
			return err
		}
	}
	return w.questions("history", rows[len(rows)-1].Interrupts, log.head().open(), false)
}

// tasks compares what is known of the tasks that are due.
func (w *sesWorld) tasks(got []graph.TaskState, head *refRow) error {
	var g, r []string
	for _, t := range got {
		text := fmt.Sprintf("%s done %v asks %d", t.Node, t.Done, len(t.Interrupts))
		if c := t.Child; c != nil {
			text += fmt.Sprintf(" step %d next %v values %s", c.Step, c.Next, strings.Replace(string(c.Values), `"own":`, `"last":`, 1))
		}
		g = append(g, text)
	}
	for _, t := range head.tasks {
		text := fmt.Sprintf("%s done %v asks %d", t.Node, t.done != nil, len(t.open()))
		if c := t.child; c != nil && len(c.rows) > 0 {
			in := c.head()
			text += fmt.Sprintf(" step %d next %v values %s", in.step, dueNames(in.left()), in.state)
		}
		r = append(r, text)
	}
	return same("tasks", g, r)
}

// reads looks at the past of a thread.
func (w *sesWorld) reads(op *sesOp, name string) error {
	log := w.ref[name]
	w.say("%s of %s %v", op.Kind, name, op.N)
	switch {
	case log == nil || op.N[0]%9 == 0:
		return w.readsNothing(op, name, log)
	case op.Kind == "history":
		return w.page(op, name, log)
	case op.Kind == "diff":
		return w.differs(op, name, log)
	}
	row := log.rows[op.N[1]%len(log.rows)]
	s, err := w.g.State(context.Background(), name, log.name[row.id])
	if err != nil {
		return err
	}
	next := dueNames(row.tasks)
	if row == log.head() {
		next = dueNames(row.left())
	}
	return w.row("state at a checkpoint", s, log, row, next)
}

// readsNothing asks for what does not exist.
func (w *sesWorld) readsNothing(op *sesOp, name string, log *refLog) error {
	if log == nil {
		_, err := w.g.Diff(context.Background(), name, "", "")
		for _, bad := range w.g.History(context.Background(), name, nil) {
			err = errors.Join(err, refusal(bad, graph.ErrUnknown))
		}
		return refusal(err, graph.ErrUnknown)
	}
	at := []string{"999999", "nonsense", "0", "-1"}[op.N[1]%4]
	_, err := w.g.State(context.Background(), name, at)
	_, forked := w.g.Fork(context.Background(), name, at, nil)
	_, updated := w.g.Update(context.Background(), name, graph.Start, nil, &graph.UpdateConfig{At: at})
	_, ran := w.g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: name, At: at})
	_, resumed := w.g.Resume(context.Background(), graph.Answers{}, &graph.RunConfig{Thread: name, At: at})
	_, differ := w.g.Diff(context.Background(), name, "", at)
	for _, err := range []error{err, forked, updated, ran, resumed, differ} {
		if err := refusal(err, graph.ErrUnknown); err != nil {
			return err
		}
	}
	return nil
}

// page reads a part of the history.
func (w *sesWorld) page(op *sesOp, name string, log *refLog) error {
	k, limit := op.N[1]%(len(log.rows)+1), op.N[2]%4
	cfg, rows := &graph.HistoryConfig{Limit: limit}, log.rows
	if k < len(rows) {
		cfg.Before, rows = log.name[rows[k].id], rows[:k]
	}
	if limit > 0 && len(rows) > limit {
		rows = rows[len(rows)-limit:]
	}
	i := len(rows)
	for s, err := range w.g.History(context.Background(), name, cfg) {
		if err != nil {
			return err
		}
		if i--; i < 0 {
			return fmt.Errorf("a page of the history, %+v, has more rows than %d", *cfg, len(rows))
		}
		if err := w.row("a page of the history", s, log, rows[i], dueNames(rows[i].tasks)); err != nil {
			return err
		}
	}
	return same("rows missing of a page", i, 0)
}

// differs compares two checkpoints.
func (w *sesWorld) differs(op *sesOp, name string, log *refLog) error {
	a, b := log.rows[op.N[1]%len(log.rows)], log.rows[op.N[2]%len(log.rows)]
	got, err := w.g.Diff(context.Background(), name, log.name[a.id], log.name[b.id])
	if err != nil {
		return err
	}
	var from, to map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(a.state.String()), &from), json.Unmarshal([]byte(b.state.String()), &to)); err != nil {
		return err
	}
	var want []graph.FieldDiff
	for _, f := range []string{"list", "count", "last", "meta"} {
		if string(from[f]) != string(to[f]) {
			want = append(want, graph.FieldDiff{Field: f, From: from[f], To: to[f]})
		}
	}
	if !reflect.DeepEqual(got, want) {
		return same("differences", fmt.Sprintf("%s", got), fmt.Sprintf("%s", want))
	}
	return nil
}
