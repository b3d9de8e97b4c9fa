package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// Answers are what a run is resumed with. The zero value is no answer: the run
// goes on behind a pause, a failure, a limit or a fork.
type Answers struct {
	plain any
	byID  map[string]any
	how   answering
}

type answering uint8

const (
	unanswered answering = iota
	answeredPlain
	answeredByID
)

// Answer answers the one question that is open; nil is an answer too. If
// several are open, or none, that is an ErrAnswer, and nothing is done. With
// RunConfig.At it is another answer to what the checkpoint's tasks had asked: it
// goes to the question that is asked first behind the fork. If none was asked
// there before that is an ErrAnswer, and nothing is done; if none is asked now
// the error is an ErrAnswer though the run is done. A run that ends otherwise
// before it asks drops the answer.
func Answer(v any) Answers { return Answers{plain: v, how: answeredPlain} }

// AnswerByID answers questions by their ids, any number of those that are
// open; the others stay open. An id that is not that of an open question is an
// ErrAnswer, and then none counts as answered. So is RunConfig.At: behind a fork
// no question is open.
func AnswerByID(answers map[string]any) Answers {
	return Answers{byID: maps.Clone(answers), how: answeredByID}
}

func (a *Answers) given() bool { return a.how != unanswered }

// answer stores answers with the tasks that asked.
func (s *session) answer(a *Answers) error {
	open, err := s.survey().open(s.prog, "", &s.log)
	if err != nil {
		return err
	}
	byID := a.byID
	if a.how == answeredPlain {
		if len(open) != 1 {
			return fmt.Errorf("%w: %s", ErrAnswer, manyOpen(open))
		}
		byID = map[string]any{open[0].ID: a.plain}
	}
	var parts []checkpoint.Part
	var strange []string
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		k := slices.IndexFunc(open, func(o located) bool { return o.ID == id })
		if k < 0 {
			strange = append(strange, id)
			continue
		}
		value, err := encodeValue(byID[id])
		if err != nil {
			return fmt.Errorf("%w: the answer to %q cannot be stored: %w", ErrAnswer, id, err)
		}
		parts = addEntry(parts, open[k].ns, open[k].head, checkpoint.Pending{Key: journal.AnswerKey(id), Body: value})
	}
	if len(strange) > 0 {
		return fmt.Errorf("%w: no open question has the id %s; %s", ErrAnswer, strings.Join(strange, ", "), manyOpen(open))
	}
	if len(parts) == 0 {
		return nil
	}
	parts = addEntry(parts, "", s.log.Head, checkpoint.Pending{Key: journal.AnsweredKey, Body: []byte("true")})
	if err := s.writer.Append(s.ctx, parts); err != nil {
		return storeError(err)
	}
	return s.load()
}

// addEntry adds what is to be pending behind a log's newest commit.
func addEntry(parts []checkpoint.Part, ns string, head int64, entry checkpoint.Pending) []checkpoint.Part {
	for i := range parts {
		if parts[i].NS == ns {
			parts[i].Pending = append(parts[i].Pending, entry)
			return parts
		}
	}
	return append(parts, checkpoint.Part{NS: ns, Head: head, Pending: []checkpoint.Pending{entry}})
}

func manyOpen(open []located) string {
	if len(open) == 0 {
		return "no question is open"
	}
	ids := make([]string, len(open))
	for i, o := range open {
		ids[i] = o.ID
	}
	return "answer by id; open are " + strings.Join(ids, ", ")
}

// located is an open question with the log that holds it.
type located struct {
	journal.Ask
	ns   string
	head int64
}
