package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
)

const refusalMost = 64 << 10 // bytes that are read of an error

// Refused makes an error of an answer whose status is none of success, and
// closes its body.
func (p *Peer) Refused(res *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, refusalMost)) // what came is told
	_ = res.Body.Close()
	f := parse(body)
	f.status = res.StatusCode
	switch {
	case f.message != "":
	case res.Header.Get("Location") != "":
		f.message = "the server redirects; set the base URL to where it is"
	default:
		f.message = flat(string(body))
	}
	e := p.tell(&f)
	e.RetryAfter = retryAfter(res.Header)
	e.Class = advised(e.Class, res.Header.Get("X-Should-Retry"))
	return e
}

// Told makes an error of an error that came in an answer, or instead of one.
func (p *Peer) Told(raw []byte) *model.Error {
	f := parse(raw)
	if f == (failure{}) {
		return p.Error(model.Malformed, "this is no answer and no error: %s", flat(string(raw)))
	}
	if f.message == "" {
		f.message = flat(string(raw))
	}
	e := p.tell(&f)
	e.Status = 0
	return e
}

func (p *Peer) tell(f *failure) *model.Error {
	e := p.Error(f.class(), "%s", f.message)
	e.Status, e.Code = f.status, p.hide(f.word())
	return e
}

// flat is a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// failure is what a provider says of an error.
type failure struct {
	status              int // of HTTP; 0: none
	message, kind, code string
}

// word is what an error is called.
func (f *failure) word() string {
	if f.code != "" {
		return f.code
	}
	return f.kind
}

// parse reads the forms that errors have: {"error":{…}}, {"error":"…"}, the
// same in a list, and {"message":…} or {"detail":…} alone.
func parse(body []byte) failure {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var f failure
	if f.message = text(body); f.message != "" {
		return f
	}
	var outer struct{ Error, Message, Detail, Type, Code, Metadata json.RawMessage }
	if json.Unmarshal(body, &outer) != nil {
		return f
	}
	if given(outer.Error) {
		return parse(outer.Error)
	}
	f.message, f.kind, f.code = text(outer.Message), text(outer.Type), text(outer.Code)
	if f.message == "" && given(outer.Detail) {
		f.message = flat(string(outer.Detail))
		if s := text(outer.Detail); s != "" {
			f.message = s
		}
	}
	var behind struct{ Raw json.RawMessage } // what a router was told by the provider
	if json.Unmarshal(outer.Metadata, &behind) == nil && text(behind.Raw) != "" {
		f.message += ": " + flat(text(behind.Raw))
	}
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 { // a status as a code says no more than one
		f.status, f.code = n, ""
	}
	return f
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// text is a JSON text or number as a text; of anything else "".
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
