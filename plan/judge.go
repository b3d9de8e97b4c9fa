package plan

// judge looks whether the steps that have ended have brought the plan on. A
// plan without progress for too long gets a new version, or fails.
func (r *round[S]) judge() error {
	c := &r.course
	if r.ended == 0 || c.Phase != Working || c.Cause != nil || c.Left == 0 {
		return nil
	}
	a := &Assessment{Progressing: r.done > 0}
	if j := r.x.cfg.Judge; j != nil {
		q, err := r.request()
		if err != nil {
			return err
		}
		if a, err = j(r.ctx, q); err != nil {
			return err
		}
	}
	if a.Ledger != nil {
		c.Ledger = a.Ledger
	}
	if a.Satisfied {
		r.satisfied(a.Reason)
		return nil
	}
	if a.Progressing && !a.InLoop {
		c.Stalls = max(0, c.Stalls-1)
		return nil
	}
	c.Stalls++
	if most := r.x.stalls(); most > 0 && c.Stalls >= most {
		r.note(EventStalled, Event{Code: CodeStalled, Message: a.Reason}, "")
		text := "there was no progress"
		if a.Reason != "" {
			text += ": " + a.Reason
		}
		c.Stalls = 0
		r.replan(&Cause{Code: CodeStalled, Text: text})
	}
	return nil
}

// stalls is how many rounds without progress are a stall; 0: none.
func (x *Executor[S]) stalls() int {
	switch n := x.cfg.Stalls; {
	case n < 0:
		return 0
	case n > 0:
		return n
	case x.cfg.Judge != nil:
		return 3
	case x.cfg.Planner != nil:
		return 5 // failures that are tried again count, and three retries are few
	default:
		return 0
	}
}

// satisfied ends the plan before its time: what has not begun is not needed.
func (r *round[S]) satisfied(why string) {
	for i := range r.ix.plan.Steps {
		id := r.ix.plan.Steps[i].ID
		if p := r.step(id); p.Status == "" || p.Status == Pending {
			r.drop(id)
			r.course.Left--
		}
	}
	r.course.Ready, r.course.Root = nil, len(r.ix.roots)
}

// request is what a planner or a judge is asked, as the plan stands now.
func (r *round[S]) request() (*Request, error) {
	g := r.sight
	g.Course = &r.course
	g.Progress = func(id string) (Progress, bool) { p := r.step(id); return p, p.Status != "" }
	return r.x.request(&g), nil
}
