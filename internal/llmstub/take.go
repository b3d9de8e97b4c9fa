package llmstub

import "fmt"

// keep adds what came to a list and drops the oldest that are too many.
func keep[T any](list []T, limit int, v T) []T {
	if limit < 0 {
		return list
	}
	if limit > 0 && len(list) >= limit {
		copy(list, list[len(list)-limit+1:])
		list = list[:limit-1]
	}
	return append(list, v)
}

func (s *Server) note(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = keep(s.requests, s.script.Keep, *r)
}

// take finds the reply for a request and the number of its answer, or tells why
// there is none.
func (s *Server) take(r *Request) (*Reply, int64, string) {
	fits := make([]bool, len(s.use))
	for i := range fits {
		fits[i] = s.script.Replies[i].When.fits(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := -1
	for i := range fits {
		if !fits[i] {
			continue
		}
		s.use[i].fitted++
		if chosen < 0 && s.ready(i) {
			chosen = i
		}
	}
	if chosen < 0 {
		text := s.strange(r)
		s.unexpected = keep(s.unexpected, s.script.Keep, text)
		return nil, 0, text
	}
	s.use[chosen].used++
	s.answers++
	return &s.script.Replies[chosen], s.answers, ""
}

// ready says whether a reply that fits may answer the request just counted.
func (s *Server) ready(i int) bool {
	call := s.script.Replies[i].When.Call
	return s.left(i) != 0 && (call == 0 || call == s.use[i].fitted)
}

// left is how often a reply may still be used; negative: any number.
func (s *Server) left(i int) int {
	times := s.script.Replies[i].Times
	if times < 0 {
		return -1
	}
	return max(times, 1) - s.use[i].used
}

// strange tells what came and which replies are left.
func (s *Server) strange(r *Request) string {
	role := "nobody"
	if n := len(r.Messages); n > 0 {
		role = r.Messages[n-1].Role
	}
	text := fmt.Sprintf("llmstub: no reply fits: %s asked model %q, %d messages, last of %s: %q; replies left:",
		r.Wire, r.Model, len(r.Messages), role, short(r.last()))
	none := true
	for i, reply := range s.script.Replies {
		if s.left(i) == 0 {
			continue
		}
		none = false
		text += fmt.Sprintf(" reply %d (%v) fitted %d, used %d;", i+1, reply.When, s.use[i].fitted, s.use[i].used)
	}
	if none {
		return text + " none"
	}
	return text[:len(text)-1]
}

func short(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}
