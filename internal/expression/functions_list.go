package expression

import "math"

// listFunction finds the functions of lists.
func listFunction(name string) *function {
	switch name {
	case "first":
		return &function{params: []kinds{lists}, result: element, one: func(_ *frame, x any) (any, error) { return edge(x, 0), nil }}
	case "last":
		return &function{params: []kinds{lists}, result: element, one: func(_ *frame, x any) (any, error) { return edge(x, -1), nil }}
	case "take":
		return &function{params: []kinds{lists, ints}, result: like, run: take}
	case "reverse":
		return &function{params: []kinds{lists}, result: like, one: reverse}
	case "uniq":
		return &function{params: []kinds{lists}, result: like, one: uniq}
	case "concat":
		return &function{params: []kinds{lists}, rest: true, result: concatType, run: concat}
	case "flatten":
		return unary(lists, Type{Kind: List}, func(f *frame, x any) (any, error) {
			return flatten(f, []any{}, x.([]any), 0)
		})
	case "sort":
		return &function{params: []kinds{lists, texts}, optional: 1, result: like, run: sortList}
	case "sum":
		return &function{params: []kinds{lists}, result: func(args []Type) Type { return sumType(args[0].Element()) }, one: sumList}
	case "count":
		return unary(lists, Type{Kind: Int}, countTrue)
	}
	return nil
}

// edge is the first or the last element, or null.
func edge(x any, index int64) any {
	list := x.([]any)
	if i, ok := indexIn(index, len(list)); ok {
		return list[i]
	}
	return nil
}

func take(_ *frame, args []any) (any, error) {
	list, n := args[0].([]any), args[1].(int64)
	if n < 0 {
		return nil, faultf("cannot take %d elements", n)
	}
	n = min(n, int64(len(list)))
	return list[:n:n], nil
}

func reverse(f *frame, x any) (any, error) {
	list := x.([]any)
	if err := f.budget.list(len(list)); err != nil {
		return nil, err
	}
	turned := make([]any, len(list))
	for i, value := range list {
		turned[len(list)-1-i] = value
	}
	return turned, nil
}

// uniq keeps the first of equal elements.
func uniq(f *frame, x any) (any, error) {
	list := x.([]any)
	if err := f.budget.list(3 * len(list)); err != nil {
		return nil, err
	}
	kept, seen, composed := []any{}, map[any]bool{}, []any{}
	for _, value := range list {
		key, plain := identity(value)
		if plain {
			if !seen[key] {
				seen[key] = true
				kept = append(kept, value)
			}
			continue
		}
		known, err := contained(f, value, composed)
		if err != nil {
			return nil, err
		}
		if known == false {
			composed = append(composed, value)
			kept = append(kept, value)
		}
	}
	return kept, nil
}

// identity is the same for equal values; plain is false for lists and maps.
func identity(value any) (key any, plain bool) {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && v >= math.MinInt64 && v < -math.MinInt64 {
			return int64(v), true
		}
		return v, true
	case []any, map[string]any:
		return nil, false
	}
	return value, true
}

func concatType(args []Type) Type {
	kind := args[0]
	for _, t := range args[1:] {
		kind = either(kind, t)
	}
	return Type{Kind: List, Elem: kind.Elem}
}

func concat(f *frame, args []any) (any, error) {
	n := 0
	for _, arg := range args {
		n += len(arg.([]any))
	}
	if err := f.budget.list(n); err != nil {
		return nil, err
	}
	joined := make([]any, 0, n)
	for _, arg := range args {
		joined = append(joined, arg.([]any)...)
	}
	return joined, nil
}

// flatten appends the elements of a list, and of the lists in it.
func flatten(f *frame, flat, list []any, depth int) ([]any, error) {
	if depth > maxDepth {
		return nil, limitf("lists are nested more than %d deep", maxDepth)
	}
	if err := f.budget.list(len(list)); err != nil {
		return nil, err
	}
	for _, value := range list {
		inner, ok := value.([]any)
		if !ok {
			flat = append(flat, value)
			continue
		}
		var err error
		if flat, err = flatten(f, flat, inner, depth+1); err != nil {
			return nil, err
		}
	}
	return flat, nil
}

func sortList(f *frame, args []any) (any, error) {
	list, descending := args[0].([]any), false
	if len(args) == 2 {
		var err error
		if descending, err = isDescending(args[1]); err != nil {
			return nil, err
		}
	}
	if err := f.budget.list(3 * len(list)); err != nil {
		return nil, err
	}
	rows := make([]ranked, len(list))
	for i, value := range list {
		rows[i] = ranked{key: value, value: value}
	}
	return sorted(f, rows, descending)
}

func sumList(f *frame, x any) (any, error) {
	list := x.([]any)
	if err := f.budget.spend(len(list)); err != nil {
		return nil, err
	}
	var total adder
	for _, value := range list {
		if err := total.add(f, value); err != nil {
			return nil, err
		}
	}
	return total.value(), nil
}

func countTrue(f *frame, x any) (any, error) {
	list := x.([]any)
	if err := f.budget.spend(len(list)); err != nil {
		return nil, err
	}
	var n int64
	for _, value := range list {
		switch value {
		case true:
			n++
		case false, nil:
		default:
			return nil, faultf("count without a condition needs a list of bools, not of %s", kindName(value))
		}
	}
	return n, nil
}
