package expression

import "slices"

// ranked is an element with what it is sorted by.
type ranked struct {
	key, value any
}

func (p *predicate) sortBy(f *frame, items []any) (any, error) {
	descending, err := p.descending(f)
	if err != nil {
		return nil, err
	}
	if err := f.budget.list(2 * len(items)); err != nil {
		return nil, err
	}
	rows := make([]ranked, len(items))
	for i := range items {
		key, err := p.value(f, items, i)
		if err != nil {
			return nil, err
		}
		rows[i] = ranked{key: key, value: items[i]}
	}
	return sorted(f, rows, descending)
}

func (p *predicate) descending(f *frame) (bool, error) {
	if p.extra == nil {
		return false, nil
	}
	order, err := p.extra.run(f)
	if err != nil {
		return false, err
	}
	return isDescending(order)
}

func isDescending(order any) (bool, error) {
	switch order {
	case "asc":
		return false, nil
	case "desc":
		return true, nil
	}
	return false, faultf(`the order is "asc" or "desc", not %s`, preview(order))
}

// sorted gives the values in the order of their keys; equal keys keep their
// order.
func sorted(f *frame, rows []ranked, descending bool) (any, error) {
	var failure error
	slices.SortStableFunc(rows, func(a, b ranked) int {
		if failure != nil {
			return 0
		}
		order, err := compare(&f.budget, a.key, b.key)
		if err == nil {
			err = f.budget.spend(1)
		}
		failure = err
		if descending {
			return -order
		}
		return order
	})
	if failure != nil {
		return nil, failure
	}
	list := make([]any, len(rows))
	for i, row := range rows {
		list[i] = row.value
	}
	return list, nil
}
