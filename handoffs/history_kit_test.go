package handoffs_test

import (
	"fmt"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// viewsNoon is when the logs of these tests begin.
var viewsNoon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// logKit writes logs as process_handoff does, a second after another.
type logKit struct {
	session string
	at      time.Time
	entries []handoffs.Entry
	made    int
}

func newLog() *logKit { return &logKit{session: "s1", at: viewsNoon} }

func (k *logKit) log() handoffs.Log { return handoffs.LogOf(k.entries) }

// add appends an entry.
func (k *logKit) add(e handoffs.Entry) *handoffs.Entry {
	e.Seq, e.At = len(k.entries)+1, k.at
	k.entries = append(k.entries, e)
	return &k.entries[len(k.entries)-1]
}

// wait lets time pass.
func (k *logKit) wait(d time.Duration) *logKit {
	k.at = k.at.Add(d)
	return k
}

// ask appends the first entry of a handoff, with the statuses that it passes
// in that step, and returns its id.
func (k *logKit) ask(from, to string, change func(*handoffs.Record), stages ...handoffs.Status) string {
	k.made++
	k.wait(time.Second)
	r := &handoffs.Record{
		ID: fmt.Sprintf("h%d", k.made), From: from, To: to, Kind: handoffs.Transfer,
		Reason: handoffs.Delegation, Session: k.session, At: k.at,
	}
	if change != nil {
		change(r)
	}
	k.add(handoffs.Entry{
		Handoff: r.ID, Record: r, From: from, To: r.To, Kind: r.Kind,
		Stages: append([]handoffs.Status{handoffs.Requested}, stages...),
	})
	return r.ID
}

// hand appends a handoff that begins at once.
func (k *logKit) hand(from, to string, change func(*handoffs.Record)) string {
	return k.ask(from, to, change, handoffs.Validated, handoffs.Accepted, handoffs.Running)
}

// call appends a call that begins at once.
func (k *logKit) call(from, to string) string {
	return k.hand(from, to, func(r *handoffs.Record) { r.Kind = handoffs.Call })
}

// reject appends a handoff that a rule rejects.
func (k *logKit) reject(from, to string, codes ...handoffs.Code) string {
	id := k.ask(from, to, nil, handoffs.Rejected)
	e := &k.entries[len(k.entries)-1]
	e.Code, e.Codes, e.Message = codes[0], codes, "no: "+string(codes[0])
	return id
}

// stage appends a later step of a handoff.
func (k *logKit) stage(id string, stages ...handoffs.Status) *handoffs.Entry {
	k.wait(time.Second)
	r := k.record(id)
	return k.add(handoffs.Entry{Handoff: id, From: r.From, To: r.To, Kind: r.Kind, Stages: stages})
}

// done appends the end of a transfer's work.
func (k *logKit) done(id string, s handoffs.Status) {
	k.stage(id, s)
	k.task(id, s, "")
}

// task appends the note that an agent's task has ended.
func (k *logKit) task(id string, s handoffs.Status, why string) {
	k.add(handoffs.Entry{Event: handoffs.EventTask, Handoff: id, From: k.record(id).To, Message: why,
		Detail: map[string]any{"status": string(s), "task": k.record(id).Task}})
}

// back appends the return of a call.
func (k *logKit) back(id string, o handoffs.Outcome) {
	k.wait(time.Second)
	k.task(id, o.Status, o.Error)
	r, s := k.record(id), o.Status
	if s == handoffs.Completed {
		s = handoffs.Returned
	}
	k.add(handoffs.Entry{Handoff: id, Event: handoffs.EventReturn, From: r.To, To: r.From, Kind: handoffs.Return,
		Stages: []handoffs.Status{s}, Code: o.Code, Message: o.Error, Result: &o, Usage: handoffs.Usage{Tokens: 70}})
}

func (k *logKit) record(id string) *handoffs.Record {
	for i := range k.entries {
		if r := k.entries[i].Record; r != nil && r.ID == id {
			return r
		}
	}
	return &handoffs.Record{}
}

func completedWith(text string) handoffs.Outcome {
	return handoffs.Outcome{Status: handoffs.Completed, Text: text}
}
