package state

import (
	"fmt"
	"slices"
)

// recordColumn makes the column of a record's field and its start value.
func recordColumn(cell int, f RecordField) (*column, any, error) {
	rule := &recordRule{reduce: f.Reduce, typ: f.Type}
	if rule.reduce == "" {
		rule.reduce = ReduceLast
	}
	if err := rule.complete(); err != nil {
		return nil, nil, err
	}
	col := &column{name: f.Name, kind: "record:" + string(rule.reduce), pos: cell, rule: rule, loose: true, local: f.Local}
	rule.handle(col)
	if rule.reduce == ReduceMessages {
		col.kind = "messages"
	}
	start, err := rule.start(col, f.Default)
	return col, start, err
}

// complete checks reducer and type against each other and fills in the type.
func (r *recordRule) complete() error {
	if !slices.Contains(Reductions(), r.reduce) {
		return fmt.Errorf("no reducer is called %q; there are %v", r.reduce, Reductions())
	}
	if r.typ == "" {
		r.typ = "any"
	}
	if types := []string{"any", "string", "int", "float", "bool", "list", "map"}; !slices.Contains(types, r.typ) {
		return fmt.Errorf("no type is called %q; there are %v", r.typ, types)
	}
	switch r.reduce {
	case ReduceSum:
		if r.typ == "any" {
			r.typ = "int"
		}
		if r.typ != "int" && r.typ != "float" {
			return fmt.Errorf("sum adds numbers, not %s", r.typ)
		}
	case ReduceAppend, ReduceUnion, ReduceMessages:
		if r.typ == "list" {
			r.typ = "any"
		}
	case ReduceMerge:
		if r.typ == "map" {
			r.typ = "any"
		}
	case ReduceMax, ReduceMin:
		if r.typ == "bool" || r.typ == "list" || r.typ == "map" {
			return fmt.Errorf("%s compares numbers or texts, not %s", r.reduce, r.typ)
		}
	}
	return nil
}

// handle gives the column the handle of its reducer, over a record's cell.
func (r *recordRule) handle(col *column) {
	at := col.pos
	switch r.reduce {
	case ReduceAppend:
		col.value = typeOf[[]any]()
		newList(col, place[Record, []any]{cell: at})
	case ReduceSum:
		if r.typ == "float" {
			col.value = typeOf[float64]()
			newCounter(col, place[Record, float64]{cell: at})
		} else {
			col.value = typeOf[int64]()
			newCounter(col, place[Record, int64]{cell: at})
		}
	case ReduceMerge:
		col.value = typeOf[map[string]any]()
		newMap(col, place[Record, map[string]any]{cell: at})
	case ReduceMessages:
		col.value = typeOf[[]any]()
		(&keyed[Record, any]{place: place[Record, []any]{cell: at}, col: col, id: messageID, removes: messageRemoves}).build()
	case ReduceUnion, ReduceMax, ReduceMin:
		col.value = typeOf[any]()
		kind := col.kind
		f := newReduced(col, Reducer[any]{Name: string(r.reduce), Combine: r.combine}, place[Record, any]{cell: at})
		f.folds, col.kind = true, kind
		if r.reduce == ReduceUnion {
			f.grow = unionGrowth(col)
			col.grow = f.grow
		}
	default:
		col.value = typeOf[any]()
		newValue(col, place[Record, any]{cell: at})
	}
}

// unionGrowth is the verb by which a union's operations are replayed: its list
// grows as any other, for what is added was found to be new before.
func unionGrowth(col *column) *verb {
	list := &List[Record, any]{place: place[Record, []any]{cell: col.pos}, col: col}
	return col.newVerb(VerbAppend, list.applyMany)
}

// start returns the start value of the column's cell.
func (r *recordRule) start(col *column, def any) (any, error) {
	switch {
	case def != nil:
		c, err := r.change(col, def, true)
		if err != nil {
			return nil, fmt.Errorf("default: %w", err)
		}
		if r.reduce == ReduceSum && r.typ == "float" {
			return floatFrom(c.word), nil
		} else if r.reduce == ReduceSum {
			return int64(c.word), nil
		}
		return clipped(c.val), nil
	case r.reduce == ReduceSum && r.typ == "float":
		return float64(0), nil
	case r.reduce == ReduceSum:
		return int64(0), nil
	case r.reduce == ReduceAppend, r.reduce == ReduceMessages, r.reduce == ReduceUnion:
		return []any{}, nil
	case r.reduce == ReduceMerge:
		return map[string]any{}, nil
	}
	return nil, nil
}

// combine is the reducer of max, min and union.
func (r *recordRule) combine(cur, upd any) (any, error) {
	if r.reduce == ReduceUnion {
		return union(cur, upd)
	}
	if cur == nil || upd == nil {
		if upd == nil {
			return cur, nil
		}
		return upd, nil
	}
	c, err := compareValues(upd, cur)
	if err == nil && (r.reduce == ReduceMax && c > 0 || r.reduce == ReduceMin && c < 0) {
		return upd, nil
	}
	return cur, err
}

// union adds the elements of upd that no element of cur equals.
func union(cur, upd any) (any, error) {
	old, _ := cur.([]any)
	seen := make(map[string]bool, len(old))
	for _, e := range old {
		b, err := appendAny(nil, e)
		if err != nil {
			return nil, err
		}
		seen[string(b)] = true
	}
	out := slices.Clip(old)
	more, _ := upd.([]any)
	for _, e := range more {
		b, err := appendAny(nil, e)
		if err != nil {
			return nil, err
		}
		if !seen[string(b)] {
			seen[string(b)] = true
			out = append(out, e)
		}
	}
	return slices.Clip(out), nil
}

func messageID(e any) string {
	m, _ := e.(map[string]any)
	id, _ := m["id"].(string)
	return id
}

// messageRemoves reports whether e is {"type": "remove", "id": …}.
func messageRemoves(e any) bool {
	m, _ := e.(map[string]any)
	return m["type"] == "remove"
}
