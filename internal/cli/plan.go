package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

const planHelp = `Look at the plan of a thread: its steps, who does them and how they stand.

The file must have a plan, and the thread is one of its runs. With --at it is
how things stood at a checkpoint. Plans inside of subgraphs are not told.

`

// planCommand is the command plan, which has commands of its own.
func (a *app) planCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "plan", Short: "Look at the plan of a thread", Long: planHelp + exitHelp,
		Example: "  graphrun plan show support.yaml --thread ada\n  graphrun plan diff support.yaml --thread ada --from 1\n  graphrun plan draw support.yaml --thread ada --format mermaid",
	}
	leadsOn(cmd, "the plan")
	cmd.AddCommand(a.planShowCommand(), a.planHistoryCommand(), a.planDiffCommand(), a.planDrawCommand())
	return cmd
}

// hasPlan reports whether the state of a file's graph keeps a plan.
func hasPlan(f *graphfile.File) bool {
	known := map[string]bool{}
	for _, name := range f.Schema().Fields() {
		known[name] = true
	}
	for _, field := range plan.RecordFields() {
		if !known[field.Name] {
			return false
		}
	}
	return true
}

// planned is what a state holds of a plan.
type planned struct {
	plan     *plan.Plan // as it stands; nil: there is none
	course   *plan.Course
	progress func(id string) plan.Progress
	log      []plan.Event // see readLog
}

// plannedOf reads what a record holds of a plan, but for the log.
func plannedOf(f *graphfile.File, r *state.Record) (*planned, error) {
	b := plan.Records{Schema: f.Schema()}
	look, err := b.Look(r)
	if err != nil {
		return nil, err
	}
	p := &planned{course: look.Course}
	if p.plan, err = plan.View[state.Record](b, *r); err != nil {
		return nil, err
	}
	p.progress = func(id string) plan.Progress {
		one, _ := look.Progress(id)
		return one
	}
	return p, nil
}

// readLog reads the log of a record's plans.
func (p *planned) readLog(r *state.Record) error {
	value, ok := r.Get("plan_log")
	if !ok {
		return nil
	}
	data, err := state.AppendAny(nil, value)
	if err == nil {
		err = state.ParseInto(data, &p.log)
	}
	if err != nil {
		return fmt.Errorf("field \"plan_log\": %w", err)
	}
	return nil
}

// latest is the part of the log that begins with the first version of the plan
// that was taken up last.
func (p *planned) latest() []plan.Event {
	from := 0
	var last *plan.Plan
	for i := range p.log {
		v := p.log[i].Plan
		if v == nil {
			continue
		}
		if last == nil || last.ID != v.ID || last.Version >= v.Version {
			from = i
		}
		last = v
	}
	return p.log[from:]
}

// stepAt is the place of a step; -1: there is no such step.
func (p *planned) stepAt(id string) int {
	for i := range p.plan.Steps {
		if p.plan.Steps[i].ID == id {
			return i
		}
	}
	return -1
}

// unknownStep says that there is no such step.
func (p *planned) unknownStep(id string) error {
	var ids []string
	for i := range p.plan.Steps {
		ids = append(ids, p.plan.Steps[i].ID)
	}
	return usage("the plan has no step %q%s; its steps are %s", id, didYouMean(id, ids), strings.Join(ids, ", "))
}

// onPlan is what the commands have in common that look at the plan of a
// thread.
type onPlan struct{ onCheckpoint }

// sight reads what the thread's state holds of a plan and does something with
// it.
func (o *onPlan) sight(cmd *cobra.Command, file string, do func(*planned) error) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	if err := checkAt(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	return o.with(ctx, file, reading, func(g *records, f *graphfile.File) error {
		if !hasPlan(f) {
			return noPlan(file)
		}
		p, err := o.look(ctx, g, f)
		if err != nil {
			return err
		}
		return do(p)
	})
}

func (o *onPlan) look(ctx context.Context, g *records, f *graphfile.File) (*planned, error) {
	s, err := g.State(ctx, o.thread, o.at)
	if err != nil {
		return nil, err
	}
	p, err := plannedOf(f, &s.Values)
	if err != nil {
		return nil, err
	}
	if p.plan == nil {
		where := ""
		if o.at != "" {
			where = " at checkpoint " + o.at
		}
		return nil, usage("thread %q has no plan%s yet", o.thread, where)
	}
	return p, p.readLog(&s.Values)
}

// noPlan says that a file's graph keeps no plan.
func noPlan(file string) error { return usage("%s has no plan: its state does not keep one", file) }
