package plan

import (
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// State is the part of a graph's state that plans need, with that of handoffs:
// embed it in the state's struct and give the result of FieldsOf to the schema.
type State struct {
	handoffs.State
	Plan       Plan                         `json:"plan"`
	PlanSteps  state.Dict[string, Progress] `json:"plan_steps"`
	PlanCourse Course                       `json:"plan_course"`
	PlanLog    []Event                      `json:"plan_log"`
}

// Fields holds the handles of a State. It is itself an argument of
// state.NewSchema, and Handoffs is for handoffs.TeamConfig. It is immutable and
// safe for concurrent use.
type Fields[S any] struct {
	state.Field[S]
	Handoffs *handoffs.Fields[S]
	Plan     *state.Value[S, Plan]
	Steps    *state.DictField[S, string, Progress]
	Course   *state.Value[S, Course]
	Log      *state.List[S, Event]

	ref func(*S) *State
}

// FieldsOf makes the handles of the State that ref returns. Their names are
// those of handoffs.FieldsOf, "plan", "plan_steps", "plan_course" and "plan_log".
func FieldsOf[S any](ref func(*S) *State) *Fields[S] {
	f := &Fields[S]{
		Handoffs: handoffs.FieldsOf(func(s *S) *handoffs.State { return &ref(s).State }),
		Plan:     state.NewValue("plan", func(s *S) *Plan { return &ref(s).Plan }),
		Steps:    state.NewDict("plan_steps", func(s *S) *state.Dict[string, Progress] { return &ref(s).PlanSteps }),
		Course:   state.NewValue("plan_course", func(s *S) *Course { return &ref(s).PlanCourse }),
		Log:      state.NewList("plan_log", func(s *S) *[]Event { return &ref(s).PlanLog }),
		ref:      ref,
	}
	f.Field = state.Group[S](f.Handoffs, f.Plan, f.Steps, f.Course, f.Log)
	return f
}

// Binding reads and writes what plans keep in a graph's state. Fields is one for
// states that are structs, Records one for those of graph files.
type Binding[S any] interface {
	// Look returns what the state holds.
	Look(s *S) (Sight, error)
	// Write makes the writes of what has changed.
	Write(u *Update) ([]state.Write[S], error)
	// Facts are the state's fields by name, for expressions; nil: none.
	Facts(s *S) handoffs.Facts
}

// Sight is what a state holds of a plan. It must not be changed.
type Sight struct {
	Plan     *Plan
	Progress func(id string) (Progress, bool)
	Course   *Course
	Desk     *handoffs.Desk
	Messages []state.Message
}

// Heard counts the messages of the user.
func (g *Sight) Heard() (n int) {
	for i := range g.Messages {
		if g.Messages[i].Role == state.RoleHuman {
			n++
		}
	}
	return n
}

// Update is what changes of a plan.
type Update struct {
	Plan     *Plan   // nil: as it was
	Course   *Course // nil: as it was
	Changed  []string
	Progress map[string]Progress // of those that are Changed
	Events   []Event
	Messages []state.Message
}

// Look returns what the state holds.
func (f *Fields[S]) Look(s *S) (Sight, error) {
	st := f.ref(s)
	return Sight{Plan: &st.Plan, Progress: st.PlanSteps.Get, Course: &st.PlanCourse, Desk: &st.Handoffs, Messages: st.Messages}, nil
}

// Write makes the writes of an update.
func (f *Fields[S]) Write(u *Update) ([]state.Write[S], error) {
	ws := make([]state.Write[S], 0, 4)
	if u.Plan != nil {
		ws = append(ws, f.Plan.Set(*u.Plan))
	}
	for _, id := range u.Changed {
		ws = append(ws, f.Steps.Put(id, u.Progress[id]))
	}
	if u.Course != nil {
		ws = append(ws, f.Course.Set(*u.Course))
	}
	if len(u.Events) > 0 {
		ws = append(ws, f.Log.Append(u.Events...))
	}
	if len(u.Messages) > 0 {
		ws = append(ws, f.Handoffs.Messages.Add(u.Messages...))
	}
	return ws, nil
}

// Facts returns nil: Config.Facts gives the fields of typed states names.
func (f *Fields[S]) Facts(*S) handoffs.Facts { return nil }
