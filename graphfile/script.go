package graphfile

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
)

// script reads what a scripted node does, or one of its cases. It is false if
// something was left out.
func (d *decoder) script(f *source.Fields, away bool) (scriptSpec, bool) {
	s := scriptSpec{pos: f.Node.Pos}
	s.sleep, _ = f.Duration("sleep", 0, task.Longest)
	s.fail = task.ReadFail(d.Page, f)
	s.asks = task.ReadAsks(d.Page, f)
	s.update = d.update(f)
	s.parent, s.parentPos = d.parent(f, away), f.KeyPos("parent")
	gotos, ok := d.refs(f.Take("goto"), `"goto"`)
	s.gotos = gotos
	for _, n := range f.OneOrMany("send") {
		send := d.send(n)
		if send == nil {
			ok = false
			continue
		}
		s.sends = append(s.sends, send)
	}
	cases, good := d.cases(f, s.parent)
	s.cases = cases
	return s, ok && good
}

// parent reads whether the script leaves its graph. What holds beside cases
// holds for each of them.
func (d *decoder) parent(f *source.Fields, away bool) bool {
	leaves, ok := f.Bool("parent")
	if ok && !leaves && away {
		d.rep.Errorf(f.KeyPos("parent"), "\"parent: true\" beside the cases holds for all of them")
	}
	return leaves || away
}

func (d *decoder) update(f *source.Fields) []entrySpec {
	return entrySpecs(f.Entries("update"))
}

func entrySpecs(entries []source.Entry) []entrySpec {
	var out []entrySpec
	for _, e := range entries {
		out = append(out, entrySpec{ref{name: e.Key, pos: e.KeyPos}, e.Value})
	}
	return out
}

// send reads one send; nil if its target could not be read.
func (d *decoder) send(n *source.Node) *sendSpec {
	f := d.rep.Fields(n, "a send")
	to := f.Need("to")
	name, ok := "", false
	if to != nil && to.Kind == source.List {
		d.rep.Errorf(to.Pos, "\"to\": a send goes to one node").Hint = "make \"send\" a list, with one entry a node"
	} else {
		name, ok = d.rep.Text(to, `"to"`)
	}
	s := &sendSpec{each: f.Take("each")}
	s.input = entrySpecs(f.Entries("input"))
	f.Done()
	if !ok {
		return nil
	}
	s.to = ref{name: name, pos: to.Pos}
	return s
}

func (d *decoder) cases(f *source.Fields, away bool) ([]*caseSpec, bool) {
	if !f.Has("cases") {
		return nil, true
	}
	items, ok := f.Items("cases")
	if ok && len(items) == 0 {
		d.rep.Errorf(f.KeyPos("cases"), `"cases" is empty`)
	}
	var out []*caseSpec
	always := false
	for _, item := range items {
		g := d.rep.Fields(item, "a case")
		if g.Node == nil {
			ok = false
			continue
		}
		c := &caseSpec{when: g.Take("when")}
		script, good := d.script(g, away)
		c.scriptSpec = script
		ok = g.Done() && good && ok
		always = d.afterAlways(always, c.when, item.Pos)
		out = append(out, c)
	}
	return out, ok
}
