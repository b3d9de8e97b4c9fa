package expression

import (
	"cmp"
	"math"
	"strings"
)

// equal compares two values, deep inside lists and maps; an int equals the
// float of the same value.
func equal(b *budget, x, y any) (bool, error) {
	switch l := x.(type) {
	case string:
		r, ok := y.(string)
		if !ok || len(l) != len(r) {
			return false, nil
		}
		return l == r, b.long(len(l))
	case int64, float64:
		if _, ok := toFloat(y); !ok {
			return false, nil
		}
		return compareNumbers(x, y) == 0, nil
	case []any:
		r, ok := y.([]any)
		if !ok || len(l) != len(r) {
			return false, nil
		}
		return equalLists(b, l, r)
	case map[string]any:
		r, ok := y.(map[string]any)
		if !ok || len(l) != len(r) {
			return false, nil
		}
		return equalMaps(b, l, r)
	case bool:
		r, ok := y.(bool)
		return ok && l == r, nil
	case nil:
		return y == nil, nil
	}
	return false, faultf("cannot compare a %T", x)
}

func equalLists(b *budget, l, r []any) (bool, error) {
	if err := b.spend(1 + len(l)); err != nil {
		return false, err
	}
	for i := range l {
		if same, err := equal(b, l[i], r[i]); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalMaps(b *budget, l, r map[string]any) (bool, error) {
	if err := b.spend(1 + len(l)); err != nil {
		return false, err
	}
	same := true
	for key, value := range l {
		other, ok := r[key]
		if !ok {
			same = false
			continue
		}
		// All entries are looked at, so that the cost is the same each time.
		equals, err := equal(b, value, other)
		if err != nil {
			return false, err
		}
		same = same && equals
	}
	return same, nil
}

// compare orders two numbers or two strings.
func compare(b *budget, x, y any) (int, error) {
	switch l := x.(type) {
	case int64, float64:
		if _, ok := toFloat(y); ok {
			return compareNumbers(x, y), nil
		}
	case string:
		if r, ok := y.(string); ok {
			return strings.Compare(l, r), b.long(min(len(l), len(r)))
		}
	}
	return 0, faultf("%s and %s have no order", kindName(x), kindName(y))
}

// compareNumbers orders two numbers exactly, also where an int is too large
// for a float.
func compareNumbers(x, y any) int {
	switch l := x.(type) {
	case int64:
		switch r := y.(type) {
		case int64:
			return cmp.Compare(l, r)
		case float64:
			return compareMixed(l, r)
		}
	case float64:
		switch r := y.(type) {
		case int64:
			return -compareMixed(r, l)
		case float64:
			return cmp.Compare(l, r)
		}
	}
	return 0
}

func compareMixed(n int64, x float64) int {
	if x >= -math.MinInt64 {
		return -1
	}
	if order := cmp.Compare(float64(n), x); order != 0 {
		return order
	}
	return cmp.Compare(n, int64(x))
}

// contained is the operator in.
func contained(f *frame, needle, in any) (any, error) {
	switch where := in.(type) {
	case nil:
		return false, nil
	case []any:
		if err := f.budget.spend(len(where)); err != nil {
			return nil, err
		}
		for _, element := range where {
			if same, err := equal(&f.budget, element, needle); same || err != nil {
				return same, err
			}
		}
		return false, nil
	case map[string]any:
		key, ok := needle.(string)
		if !ok && needle != nil {
			return nil, faultf("the keys of a map are strings, not %s", kindName(needle))
		}
		_, found := where[key]
		return ok && found, nil
	}
	return nil, faultf("in needs a list or a map, not %s", kindName(in))
}

// textOperation is contains, startsWith or endsWith; null is in nothing and
// has nothing in it.
func textOperation(operator string) operation {
	find := strings.Contains
	switch operator {
	case "startsWith":
		find = strings.HasPrefix
	case "endsWith":
		find = strings.HasSuffix
	}
	return func(f *frame, l, r any) (any, error) {
		if l == nil || r == nil {
			return false, nil
		}
		text, ok := l.(string)
		part, both := r.(string)
		if !ok || !both {
			return nil, faultf("%s needs two strings, not %s and %s", operator, kindName(l), kindName(r))
		}
		if err := f.budget.read(len(text)); err != nil {
			return nil, err
		}
		return find(text, part), nil
	}
}
