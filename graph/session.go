package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// session is a thread that this process is the writer of, for one run, update
// or fork.
type session struct {
	ctx    context.Context
	prog   *program
	keep   *keeping
	thread string
	writer checkpoint.Writer
	queue  *journal.Queue
	log    logState
	root   *journal.Journal // of the thread's own run
	lost   <-chan struct{}  // closed when another one has taken the thread over
	ended  chan struct{}    // closed when the session is; nil if nobody waits for it

	asked    atomic.Bool // a question was noted
	mu       sync.Mutex
	floating *[]byte               // an answer for the first question that is asked; nil: none
	asking   map[string]*questions // by the place of the task
}

// logState is a log as it was loaded: with the newest commit, or without any.
type logState struct {
	*checkpoint.Loaded
	*journal.Stand // nil if the log has no commits
}

// open claims a thread and reads where it stands.
func (k *keeping) open(ctx context.Context, p *program, cfg *RunConfig) (*session, error) {
	if cfg.Thread == "" {
		return nil, fmt.Errorf("%w: set RunConfig.Thread", ErrNoThread)
	}
	w, err := k.store.Claim(ctx, cfg.Thread, cfg.Busy)
	if err != nil {
		return nil, readError(ctx, err)
	}
	s := &session{ctx: ctx, prog: p, keep: k, thread: cfg.Thread, writer: w, lost: w.Lost()}
	s.queue = journal.NewQueue(ctx, w, cfg.Durability.mode())
	if err := s.load(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// edit claims a thread that exists, does something with it, and gives it free.
func (k *keeping) edit(ctx context.Context, p *program, thread string, busy Busy, do func(*session) error) error {
	if k.store == nil {
		return fmt.Errorf("threads: %w", ErrNoStore)
	}
	s, err := k.open(ctx, p, &RunConfig{Thread: thread, Busy: busy})
	if err != nil {
		return err
	}
	if s.log.Stand == nil {
		err = unknownThread(thread)
	} else {
		err = do(s)
	}
	if closed := s.close(); err == nil {
		err = closed
	}
	return err
}

func unknownThread(thread string) error {
	return fmt.Errorf("%w: the store has no thread %q", ErrUnknown, thread)
}

// survey looks at what is due in the thread.
func (s *session) survey() *survey { return &survey{s.ctx, s.keep, s.thread} }

// load reads where the thread stands.
func (s *session) load() (err error) {
	s.log, err = loadLog(s.ctx, s.keep.store, checkpoint.Log{Thread: s.thread}, 0)
	return err
}

// close gives the thread free.
func (s *session) close() error {
	if s.ended != nil {
		close(s.ended)
	}
	if err := s.writer.Release(); err != nil {
		return storeError(err)
	}
	return nil
}

// watch returns a context that ends when the thread is taken over, if ctx can
// end at all: else nothing can cancel what runs, and the run looks at its
// steps only.
func (s *session) watch(ctx context.Context) context.Context {
	if ctx.Done() == nil || s.lost == nil {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.ended = make(chan struct{})
	go func() {
		select {
		case <-s.lost:
			cancel(ErrTakenOver)
		case <-s.ended:
			cancel(nil)
		}
	}()
	return ctx
}

// loadLog reads a log as it stands behind the commit at; 0: the newest.
func loadLog(ctx context.Context, store checkpoint.Store, log checkpoint.Log, at int64) (logState, error) {
	l, err := store.Load(ctx, log, at)
	if err != nil {
		return logState{}, readError(ctx, err)
	}
	if len(l.Commits) == 0 {
		return logState{Loaded: l}, nil
	}
	stand, err := journal.ReadStand(l)
	if err != nil {
		return logState{}, storeError(err)
	}
	return logState{l, stand}, nil
}

// readError is storeError for a call that ctx may have ended.
func readError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && isAny(err, context.Canceled, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrCancelled, cause)
	}
	return storeError(err)
}

// storeError makes an error of the store one of this package's.
func storeError(err error) error {
	var index *indexError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &index):
		return err
	case errors.Is(err, checkpoint.ErrBusy), errors.Is(err, ErrStore), errors.Is(err, ErrChanged):
		return err
	case errors.Is(err, checkpoint.ErrFenced):
		return fmt.Errorf("%w: %w", ErrTakenOver, err)
	case errors.Is(err, checkpoint.ErrNotFound):
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrCancelled, err)
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}

// leads makes a journal the session's root, unless it is a subgraph's.
func (s *session) leads(log *journal.Journal, child bool) {
	if !child {
		s.root = log
	}
}

// questionsOf returns where the questions of a task are noted.
func (s *session) questionsOf(place string) *questions {
	s.asked.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.asking[place]
	if q == nil {
		q = &questions{}
		if s.asking == nil {
			s.asking = map[string]*questions{}
		}
		s.asking[place] = q
	}
	return q
}

// takeAnswer returns the answer that waits for a question, once.
func (s *session) takeAnswer() ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.floating == nil {
		return nil, false
	}
	answer := *s.floating
	s.floating = nil
	return answer, true
}

// takeQuestions returns and forgets the open questions of a task.
func (s *session) takeQuestions(place string) []journal.Ask {
	s.mu.Lock()
	q := s.asking[place]
	delete(s.asking, place)
	s.mu.Unlock()
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open
}

// keeping is where a graph's threads are kept.
type keeping struct {
	store     checkpoint.Store
	items     checkpoint.Items
	evolution Evolution
}
