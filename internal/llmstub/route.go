package llmstub

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxBody is the longest body that is read, in bytes, as with Anthropic.
const maxBody = 32 << 20

// route finds the wire that a request speaks.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case path == "/chat/completions" && r.Method == http.MethodPost:
		s.chat(w, r, openaiWire{})
	case path == "/messages" && r.Method == http.MethodPost:
		s.chat(w, r, anthropicWire{})
	case path == "/models" && r.Method == http.MethodGet:
		s.models(w, r)
	case path == "/chat/completions", path == "/messages", path == "/models":
		wireOf(r).fail(w, http.StatusMethodNotAllowed, problem{text: "Not allowed to " + r.Method + " on " + r.URL.Path + "."})
	default:
		wireOf(r).fail(w, http.StatusNotFound, problem{text: "Invalid URL (" + r.Method + " " + r.URL.Path + ")"})
	}
}

// wire is what differs between the providers.
type wire interface {
	// admit looks at the headers and gives the key, or refuses with a status.
	admit(r *http.Request) (key string, status int, why *problem)
	// read decodes a body, or says why the provider refuses it.
	read(r *Request, body []byte) *problem
	// fail answers with an error.
	fail(w http.ResponseWriter, status int, why problem)
	// usual is the error the provider gives with a status.
	usual(status int, r *Request) problem
	body(a *answer) string
	events(a *answer, r *Request) []event
	// failure is an error in mid stream.
	failure() event
}

func wireOf(r *http.Request) wire {
	if r.Header.Get("anthropic-version") != "" || strings.HasSuffix(r.URL.Path, "/messages") {
		return anthropicWire{}
	}
	return openaiWire{}
}

// chat answers a request for a completion.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, on wire) {
	key, status, why := on.admit(r)
	if why != nil {
		on.fail(w, status, *why)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return // the client went away
	}
	if len(body) > maxBody {
		on.fail(w, http.StatusRequestEntityTooLarge, problem{text: "Request exceeds the maximum size"})
		return
	}
	req := &Request{Header: r.Header.Clone(), Body: body, key: key}
	if why = on.read(req, body); why != nil {
		req.Refused = why.text
	}
	s.note(req)
	if why != nil {
		on.fail(w, http.StatusBadRequest, *why)
		return
	}
	s.reply(w, r, on, req)
}

// reply answers a request that is in order.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, on wire, req *Request) {
	reply, n, strange := s.take(req)
	if reply == nil {
		w.Header().Set("X-Should-Retry", "false")
		on.fail(w, http.StatusInternalServerError, problem{text: strange, kind: "llmstub_unexpected"})
		return
	}
	p := &player{w: w, rc: http.NewResponseController(w), ctx: r.Context(), done: s.done, fault: &reply.Fault}
	if !p.wait(reply.Fault.Delay) {
		return
	}
	p.answer(on, req, reply, n)
}

// answer does what the reply says, once the delay is over.
func (p *player) answer(on wire, req *Request, reply *Reply, n int64) {
	a := fill(reply, req, n)
	switch status := p.fault.Status; {
	case p.fault.Hang:
		p.hang()
	case status != 0 && !isStatus(status):
		on.fail(p.w, http.StatusInternalServerError, problem{text: fmt.Sprintf("llmstub: the script asks for status %d; give one from 200 to 599", status)})
	case p.fault.Body != "":
		p.raw(status, p.fault.Body)
	case status != 0:
		p.setType("application/json")
		on.fail(p.w, status, on.usual(status, req))
	case req.Stream:
		p.stream(on.events(&a, req), on.failure())
	default:
		p.whole(on.body(&a))
	}
}
