package llmstub

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// event is one event of a stream. name is "" on the wire of OpenAI.
type event struct{ name, data string }

// player sends one answer with its faults.
type player struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	ctx   context.Context // of the request
	done  <-chan struct{} // the server is closed
	fault *Fault
}

// wait waits and says whether to go on.
func (p *player) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
	case <-p.done:
	}
	return false
}

// hang waits until nobody wants the answer any more.
func (p *player) hang() {
	select {
	case <-p.ctx.Done():
	case <-p.done:
	}
}

// cut closes the connection. Where there is none to close, on a recorder, the
// answer just ends.
func (p *player) cut() {
	if conn, _, err := p.rc.Hijack(); err == nil {
		_ = conn.Close()
	}
}

// setType sets the content type and the headers that a fault asks for.
func (p *player) setType(kind string) {
	p.w.Header().Set("Content-Type", kind)
	for name, value := range p.fault.Header {
		p.w.Header().Set(name, value)
	}
	if p.fault.RetryAfter != "" {
		p.w.Header().Set("Retry-After", p.fault.RetryAfter)
	}
}

// raw sends a body as it is, with the type that it looks like. Status 0 is 200.
func (p *player) raw(status int, body string) {
	kind := "text/html; charset=utf-8"
	switch {
	case json.Valid([]byte(body)):
		kind = "application/json"
	case strings.HasPrefix(body, "data:"), strings.HasPrefix(body, "event:"), strings.HasPrefix(body, ":"):
		kind = "text/event-stream; charset=utf-8"
	}
	p.setType(kind)
	p.w.WriteHeader(max(status, http.StatusOK))
	_, _ = io.WriteString(p.w, body)
}

// whole sends an answer that is no stream.
func (p *player) whole(body string) {
	if p.fault.Cut < 0 {
		p.cut()
		return
	}
	p.setType("application/json")
	if p.fault.WrongJSON {
		body = wrong(body)
	}
	if p.fault.Cut == 0 {
		_, _ = io.WriteString(p.w, body)
		return
	}
	_, _ = io.WriteString(p.w, body[:len(body)/2])
	_ = p.rc.Flush()
	p.cut()
}

// stream sends the events; failure is the event that ErrorAfter sends.
func (p *player) stream(events []event, failure event) {
	p.w.Header().Set("Cache-Control", "no-cache")
	p.setType("text/event-stream; charset=utf-8")
	p.w.WriteHeader(http.StatusOK)
	_ = p.rc.Flush()
	for sent, e := range events {
		if p.ends(sent, failure) || sent > 0 && !p.wait(p.fault.Gap) {
			return
		}
		if sent == 1 && p.fault.WrongJSON {
			e.data = wrong(e.data)
		}
		if !p.send(e) {
			return
		}
	}
	p.ends(len(events), failure)
}

// ends does what is to happen behind so many events and says whether it was the
// end.
func (p *player) ends(sent int, failure event) bool {
	due := func(after int) bool { return after < 0 || after > 0 && after == sent }
	switch {
	case due(p.fault.Cut):
		p.cut()
	case due(p.fault.ErrorAfter):
		p.send(failure)
	default:
		return due(p.fault.End)
	}
	return true
}

// send sends one event and says whether the client still reads.
func (p *player) send(e event) bool {
	nl := "\n"
	if p.fault.CRLF {
		nl = "\r\n"
	}
	var b strings.Builder
	if p.fault.Comments {
		b.WriteString(": keep-alive" + nl + nl)
	}
	if e.name != "" {
		b.WriteString("event: " + e.name + nl)
	}
	b.WriteString("data: " + e.data + nl + nl)
	if _, err := io.WriteString(p.w, b.String()); err != nil {
		return false
	}
	return p.rc.Flush() == nil && p.ctx.Err() == nil
}

// wrong is JSON that breaks off.
func wrong(body string) string { return body[:len(body)/2] + "~" }
