package graphfile

import (
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// mostAsks is how many questions one script may ask in a row.
const mostAsks = 100

// script reads what a scripted node does, or one of its cases. It is false if
// something was left out.
func (d *decoder) script(f *source.Fields, away bool) (scriptSpec, bool) {
	s := scriptSpec{pos: f.Node.Pos}
	s.sleep, _ = f.Duration("sleep", 0, longest)
	s.fail = d.fail(f)
	s.asks = d.asks(f)
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

func (d *decoder) fail(f *source.Fields) *failSpec {
	if !f.Has("fail") {
		return nil
	}
	spec := &failSpec{attempts: -1}
	g := d.rep.Fields(f.Take("fail"), `"fail"`)
	if text := g.Need("error"); text != nil {
		if _, ok := d.rep.Text(text, `"error"`); ok {
			spec.text = text
		}
	}
	if n, ok := g.Int("attempts", 0, math.MaxInt32); ok {
		spec.attempts = int(n)
	}
	g.Done()
	if spec.text == nil {
		return nil
	}
	return spec
}

func (d *decoder) asks(f *source.Fields) []askSpec {
	var out []askSpec
	list := f.OneOrMany("interrupt")
	if len(list) > mostAsks {
		d.rep.Errorf(f.KeyPos("interrupt"), "\"interrupt\" has %d questions, at most %d are allowed", len(list), mostAsks)
		list = list[:mostAsks]
	}
	for _, n := range list {
		g := d.rep.Fields(n, "an interrupt")
		a := askSpec{value: g.Need("value"), pos: n.Pos}
		a.into, _ = g.Text("into")
		if g.Has("into") && a.into == "" && g.Take("into").Kind == source.String {
			d.rep.Errorf(g.Take("into").Pos, "\"into\" needs a name")
		}
		g.Done()
		// A wrong interrupt keeps its name, which what follows may use.
		out = append(out, a)
	}
	return out
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
