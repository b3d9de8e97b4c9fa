package specialist

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// Config holds what a HandoffService is made of.
type Config struct {
	Router *Router  // needed: who is there
	Run    RunAgent // needed
	// Generalist is the id of the agent that talks to the user; "":
	// "generalist". It need not be registered; others that hand over must be.
	Generalist string
	Limits     handoffs.Limits  // of a conversation with all that comes of it; zero: those of Policy()
	Depth      int              // of specialists that ask specialists; 0: that of Policy(); less: no bound
	Choose     handoffs.Router  // among specialists with a capability; nil: the first one
	Clock      func() time.Time // nil: time.Now
	Logger     *slog.Logger     // nil: nothing is logged
}

// HandoffService executes handoffs. It keeps conversations' desks, logs and
// requests in memory as long as it is there itself. It may be used by any number of
// goroutines at once; handoffs of one conversation wait for one another.
type HandoffService struct {
	cfg   Config
	store checkpoint.Store

	mu     sync.Mutex
	talks  map[string]*talk
	agents *handoffs.Registry // that the book was made with
	desks  *sessions.Book[desk]
}

// desk is what is kept of a conversation for decisions.
type desk struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(d *desk) *handoffs.State { return &d.State })
	schema = state.MustSchema(fields)
)

// NewHandoffService returns a service, or all that is wrong with its
// configuration.
func NewHandoffService(cfg Config) (*HandoffService, error) {
	var problems []error
	if cfg.Router == nil {
		problems = append(problems, errors.New("specialist: Router is nil: set the router that knows the specialists"))
	}
	if cfg.Run == nil {
		problems = append(problems, errors.New("specialist: Run is nil: set the function that lets a specialist work"))
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	cfg.Generalist, cfg.Logger = cmp.Or(cfg.Generalist, "generalist"), logger(cfg.Logger)
	if cfg.Clock == nil {
		cfg.Clock = func() time.Time { return time.Now().UTC() }
	}
	s := &HandoffService{cfg: cfg, store: checkpoint.NewMemory(nil), talks: map[string]*talk{}}
	_, err := s.book()
	return s, err
}

// policy is the policy with the agents in it. The generalist's own iterations
// bound how often it may try what is rejected.
func (s *HandoffService) policy(agents *handoffs.Registry) *handoffs.Policy {
	p := Policy()
	if s.cfg.Limits != (handoffs.Limits{}) {
		p.Limits = s.cfg.Limits
	}
	p.Depth, p.Misses = cmp.Or(s.cfg.Depth, p.Depth), -1
	p.Registry, p.Entry, p.Router = agents, s.cfg.Generalist, s.cfg.Choose
	if _, ok := agents.Get(p.Entry); !ok {
		p.Registry = agents.With(handoffs.Profile{ID: p.Entry, Refuses: true, Hidden: true})
	}
	return p
}

// book returns what decides, with the agents that are registered now.
func (s *HandoffService) book() (*sessions.Book[desk], error) {
	agents := s.cfg.Router.registry()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.desks != nil && s.agents == agents {
		return s.desks, nil
	}
	b, err := sessions.New(sessions.Config[desk]{
		Name: "specialist", Fields: fields, Schema: schema, Policy: s.policy(agents), Store: s.store, Clock: s.cfg.Clock,
	})
	if err == nil {
		s.agents, s.desks = agents, b
	}
	return b, err
}

// talk returns a conversation, a new one if there is none of this id.
func (s *HandoffService) talk(id string) *talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.talks[id]
	if t == nil {
		t = newTalk(id, id, nil)
		s.talks[id] = t
	}
	return t
}

// open begins a specialist's conversation, and notes the request that it is for.
func (s *HandoffService) open(t *talk, r *HandoffRequest, turn *handoffs.Turn) *talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := newTalk("handoff-"+r.ID, t.desk, turn)
	s.talks[own.id] = own
	t.requests = append(t.requests, *r)
	return own
}

// GetHandoffHistory returns the handoffs that were asked for in a conversation
// and begun, oldest first. Those that were rejected are in the Log alone. What
// they refer to must not be changed.
func (s *HandoffService) GetHandoffHistory(conversationID string) []HandoffRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.talks[conversationID]; t != nil {
		return slices.Clone(t.requests)
	}
	return nil
}

// Log returns the log of a conversation and of all that came of it, for the
// views of package handoffs; that of a specialist's conversation is empty. It
// fails with the context.
func (s *HandoffService) Log(ctx context.Context, conversationID string) (handoffs.Log, error) {
	b, err := s.book()
	if err != nil {
		return handoffs.Log{}, err
	}
	at, err := b.Load(ctx, conversationID)
	return handoffs.LogOf(at.HandoffLog), err
}
