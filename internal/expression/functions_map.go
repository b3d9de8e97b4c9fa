package expression

import (
	"maps"
	"slices"
)

// mapFunction finds the functions of maps. What they list stands in the order
// of the keys.
func mapFunction(name string) *function {
	switch name {
	case "keys":
		return unary(mapsOnly, Type{Kind: List, Elem: String}, keys)
	case "values":
		return unary(mapsOnly, Type{Kind: List}, values)
	case "toPairs":
		return unary(mapsOnly, Type{Kind: List, Elem: List}, toPairs)
	case "fromPairs":
		return unary(lists, Type{Kind: Map}, fromPairs)
	}
	return nil
}

// sortedKeys lists the keys of a map in order, and pays for it.
func sortedKeys(f *frame, x any) (map[string]any, []string, error) {
	from := x.(map[string]any)
	if err := f.budget.list(2 * len(from)); err != nil {
		return nil, nil, err
	}
	if err := f.budget.spend(16 * len(from)); err != nil {
		return nil, nil, err
	}
	return from, slices.Sorted(maps.Keys(from)), nil
}

func keys(f *frame, x any) (any, error) {
	_, names, err := sortedKeys(f, x)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list, nil
}

func values(f *frame, x any) (any, error) {
	from, names, err := sortedKeys(f, x)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = from[name]
	}
	return list, nil
}

func toPairs(f *frame, x any) (any, error) {
	from, names, err := sortedKeys(f, x)
	if err != nil {
		return nil, err
	}
	if err := f.budget.list(3 * len(names)); err != nil {
		return nil, err
	}
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = []any{name, from[name]}
	}
	return list, nil
}

func fromPairs(f *frame, x any) (any, error) {
	list := x.([]any)
	built := map[string]any{}
	for i, value := range list {
		if err := f.budget.take(entrySize); err != nil {
			return nil, err
		}
		pair, ok := value.([]any)
		if !ok || len(pair) != 2 {
			return nil, faultf("fromPairs needs a list of [key, value], element %d is none", i)
		}
		key, ok := pair[0].(string)
		if !ok {
			return nil, faultf("the keys of a map are strings, that of pair %d is %s", i, kindName(pair[0]))
		}
		built[key] = pair[1]
	}
	return built, nil
}
