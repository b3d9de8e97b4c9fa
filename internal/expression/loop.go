package expression

// runner is what a predicate does with its list.
func (p *predicate) runner() func(f *frame, items []any) (any, error) {
	switch p.name {
	case "all":
		return func(f *frame, items []any) (any, error) { return p.decided(f, items, false) }
	case "any":
		return func(f *frame, items []any) (any, error) { return p.decided(f, items, true) }
	case "none":
		return p.none
	case "one":
		return p.one
	case "filter":
		return p.filter
	case "map":
		return p.mapped
	case "find", "findIndex":
		return p.find
	case "findLast", "findLastIndex":
		return p.findLast
	case "count":
		return p.count
	case "sum":
		return p.sum
	case "groupBy":
		return p.groupBy
	case "sortBy":
		return p.sortBy
	}
	return p.reduce
}

// decided gives the truth value at the first element whose condition has it,
// and the other one where no element does: any looks for true, all for false.
func (p *predicate) decided(f *frame, items []any, wanted bool) (any, error) {
	for i := range items {
		holds, err := p.matches(f, items, i)
		if err != nil {
			return nil, err
		}
		if holds == wanted {
			return wanted, nil
		}
	}
	return !wanted, nil
}

func (p *predicate) none(f *frame, items []any) (any, error) {
	found, err := p.decided(f, items, true)
	return found == false, err
}

func (p *predicate) one(f *frame, items []any) (any, error) {
	n, err := p.count(f, items)
	return n == int64(1), err
}

func (p *predicate) count(f *frame, items []any) (any, error) {
	var n int64
	for i := range items {
		holds, err := p.matches(f, items, i)
		if err != nil {
			return nil, err
		}
		if holds {
			n++
		}
	}
	return n, nil
}

func (p *predicate) filter(f *frame, items []any) (any, error) {
	kept := []any{}
	for i := range items {
		holds, err := p.matches(f, items, i)
		if err != nil {
			return nil, err
		}
		if !holds {
			continue
		}
		if err := f.budget.list(1); err != nil {
			return nil, err
		}
		kept = append(kept, items[i])
	}
	return kept, nil
}

func (p *predicate) mapped(f *frame, items []any) (any, error) {
	if err := f.budget.list(len(items)); err != nil {
		return nil, err
	}
	list := make([]any, len(items))
	for i := range items {
		value, err := p.value(f, items, i)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return list, nil
}

func (p *predicate) find(f *frame, items []any) (any, error) {
	for i := range items {
		if holds, err := p.matches(f, items, i); holds || err != nil {
			return p.found(items, i), err
		}
	}
	return nil, nil
}

func (p *predicate) findLast(f *frame, items []any) (any, error) {
	for i := len(items) - 1; i >= 0; i-- {
		if holds, err := p.matches(f, items, i); holds || err != nil {
			return p.found(items, i), err
		}
	}
	return nil, nil
}

// found is the element that was looked for, or its index.
func (p *predicate) found(items []any, i int) any {
	if p.name == "findIndex" || p.name == "findLastIndex" {
		return int64(i)
	}
	return items[i]
}

func (p *predicate) sum(f *frame, items []any) (any, error) {
	var total adder
	for i := range items {
		value, err := p.value(f, items, i)
		if err != nil {
			return nil, err
		}
		if err := total.add(f, value); err != nil {
			return nil, err
		}
	}
	return total.value(), nil
}

func (p *predicate) groupBy(f *frame, items []any) (any, error) {
	groups := map[string]any{}
	for i := range items {
		value, err := p.value(f, items, i)
		if err != nil {
			return nil, err
		}
		key, ok := keyText(value)
		if !ok {
			return nil, faultf("groupBy needs a string, number, bool or null to group by, not %s", kindName(value))
		}
		if err := f.budget.take(slotSize + entrySize); err != nil {
			return nil, err
		}
		group, _ := groups[key].([]any)
		groups[key] = append(group, items[i])
	}
	return groups, nil
}

// keyText is a plain value as the key of a map.
func keyText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case nil, bool, int64, float64:
		return plainText(v), true
	}
	return "", false
}

func (p *predicate) reduce(f *frame, items []any) (any, error) {
	acc, from, err := p.start(f, items)
	if err != nil {
		return nil, err
	}
	for i := from; i < len(items); i++ {
		f.loops[p.level].acc = acc
		if acc, err = p.value(f, items, i); err != nil {
			return nil, err
		}
	}
	return acc, nil
}

// start is the value reduce begins with, and the first element it adds.
func (p *predicate) start(f *frame, items []any) (acc any, from int, err error) {
	if p.extra != nil {
		acc, err = p.extra.run(f)
		return acc, 0, err
	}
	if len(items) == 0 {
		return nil, 0, &fault{
			message: "reduce of an empty list has no value to start with",
			hint:    "give one: reduce(list, #acc + #, 0)",
		}
	}
	return items[0], 1, nil
}
