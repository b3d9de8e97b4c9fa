package cli

import (
	"encoding/json"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// stepObject is a step in the JSON output.
type stepObject struct {
	Step     *plan.Step    `json:"step"`
	Progress plan.Progress `json:"progress"`
	Log      []plan.Event  `json:"log"`
}

// showStep shows a step in full.
func (s *planShow) showStep(p *planned, at int) error {
	out := &stepObject{Step: &p.plan.Steps[at], Log: []plan.Event{}}
	out.Progress = p.progress(out.Step.ID)
	for _, e := range p.latest() {
		if e.Step == out.Step.ID {
			out.Log = append(out.Log, e)
		}
	}
	if s.output.value != "text" {
		out.Progress.Result = nil
		return s.writeJSON(out)
	}
	k := s.inkFor(s.Terminal.Stdout)
	text, err := stepText(out, k)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	if len(out.Log) > 0 {
		t := table{ink: k, rows: [][]string{planEventColumns()}}
		for i := range out.Log {
			t.rows = append(t.rows, planEventRow(&out.Log[i]))
		}
		text += "\n" + t.String()
	}
	_, err = s.Stdout.Write([]byte(text))
	return unwritten(err)
}

// stepText is a step, and how it stands, as YAML.
func stepText(o *stepObject, k ink) (string, error) {
	p, step, spent := &o.Progress, *o.Step, ""
	if r := step.Result; r != nil {
		bare := *r
		spent, bare.Spent, step.Result = spentText(r.Spent), handoffs.Usage{}, &bare
	}
	text, err := json.Marshal(&step)
	if err != nil {
		return "", err
	}
	more, err := json.Marshal(struct {
		By       string   `json:"by,omitempty"`
		Attempts int      `json:"attempts,omitempty"`
		Tried    []string `json:"tried,omitempty"`
		Raised   bool     `json:"escalated,omitempty"`
		Spent    string   `json:"spent,omitempty"`
		Code     string   `json:"code,omitempty"`
		Error    string   `json:"error,omitempty"`
	}{p.Agent, p.Attempt, p.Tried, p.Raised, spent, string(p.Code), p.Error})
	if err != nil {
		return "", err
	}
	if string(more) != "{}" {
		text = append(append(text[:len(text)-1], ','), more[1:]...)
	}
	text, err = renderValues(text, k)
	return string(text), err
}

// spentText is what a step has cost; nothing if it cost nothing.
func spentText(u handoffs.Usage) string {
	var parts []string
	if u.Time > 0 {
		parts = append(parts, took(u.Time))
	}
	if u.Tokens > 0 {
		parts = append(parts, counted(u.Tokens, "token"))
	}
	if u.Calls > 0 {
		parts = append(parts, counted(u.Calls, "call"))
	}
	return strings.Join(parts, ", ")
}
