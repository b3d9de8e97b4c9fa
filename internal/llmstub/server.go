package llmstub

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Server answers requests as its script says. It may be used by any number of
// clients at once.
type Server struct {
	script Script
	http   *httptest.Server // nil: it does not listen
	done   chan struct{}    // closed by Close

	mu         sync.Mutex
	idle       sync.Cond // nobody is busy
	busy       int
	closed     bool
	answers    int64
	use        []use // of each reply
	requests   []Request
	unexpected []string
}

// use is how often a reply fitted and was used.
type use struct{ fitted, used int }

// New starts a server on a free port of this machine. Close stops it. nil is
// the zero Script. The script is copied; what its slices and maps hold must not
// be changed afterwards.
func New(s *Script) *Server {
	srv := Handler(s)
	srv.http = httptest.NewServer(srv)
	return srv
}

// Handler is a server that does not listen and has no URL, for a server of the
// caller's own. Close ends its handlers.
func Handler(s *Script) *Server {
	srv := &Server{done: make(chan struct{})}
	if s != nil {
		srv.script = *s
		srv.script.Replies = slices.Clone(s.Replies)
	}
	srv.idle.L = &srv.mu
	srv.use = make([]use, len(srv.script.Replies))
	return srv
}

// URL is the address of the server, without /v1 and without a slash at the end.
// "": it does not listen.
func (s *Server) URL() string {
	if s.http == nil {
		return ""
	}
	return s.http.URL
}

// Close ends all answers that are under way, closes their connections and waits
// until no handler is at work. Requests that come later get status 503. A
// second Close does nothing.
func (s *Server) Close() {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		close(s.done)
		if s.http != nil {
			s.http.CloseClientConnections()
			s.http.Close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.busy > 0 {
		s.idle.Wait()
	}
}

// Busy is how many handlers are at work.
func (s *Server) Busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy
}

// Requests are the requests that came and could be read, in the order in which
// they were read, also those that were refused or fitted no reply. Script.Keep
// says how many are kept.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unexpected tells of each request that no reply fitted. Such a request got
// status 500. Script.Keep says how many are kept.
func (s *Server) Unexpected() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unexpected)
}

// Unused names the replies that were never used.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for i, u := range s.use {
		if u.used == 0 {
			names = append(names, fmt.Sprintf("reply %d (%v)", i+1, s.script.Replies[i].When))
		}
	}
	return names
}

// enter says whether the server is open, and then counts a handler as busy.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.busy++
	}
	return !s.closed
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy--; s.busy == 0 {
		s.idle.Broadcast()
	}
}

// ServeHTTP answers one request. It returns early when the client goes away or
// the server is closed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "llmstub: the server is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	s.route(w, r)
}
