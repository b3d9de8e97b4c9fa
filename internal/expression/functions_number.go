package expression

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// generalFunction finds the functions that take values of several kinds.
func generalFunction(name string) *function {
	switch name {
	case "len":
		return unary(texts|lists|mapsOnly, Type{Kind: Int}, length)
	case "type":
		return unary(anything, Type{Kind: String}, func(_ *frame, x any) (any, error) { return typeName(x), nil })
	case "string":
		return unary(anything, Type{Kind: String}, func(f *frame, x any) (any, error) { return textOf(&f.budget, x) })
	case "int":
		return unary(numbers|texts, Type{Kind: Int}, toInt)
	case "float":
		return unary(numbers|texts, Type{Kind: Float}, asFloat)
	case "get":
		return &function{params: []kinds{lists | mapsOnly | 1<<Null, anything}, result: element, run: get}
	}
	return nil
}

// numberFunction finds the functions of numbers.
func numberFunction(name string) *function {
	switch name {
	case "abs":
		return &function{params: []kinds{numbers}, result: like, one: abs}
	case "ceil":
		return rounding(math.Ceil)
	case "floor":
		return rounding(math.Floor)
	case "round":
		return rounding(math.Round)
	case "max":
		return &function{params: []kinds{numbers | lists}, rest: true, result: extremeType, run: func(f *frame, args []any) (any, error) {
			return extreme(f, args, 1)
		}}
	case "min":
		return &function{params: []kinds{numbers | lists}, rest: true, result: extremeType, run: func(f *frame, args []any) (any, error) {
			return extreme(f, args, -1)
		}}
	case "mean":
		return &function{params: []kinds{numbers | lists}, rest: true, result: gives(Type{Kind: Float}), run: mean}
	case "median":
		return &function{params: []kinds{numbers | lists}, rest: true, result: gives(Type{Kind: Float}), run: median}
	}
	return nil
}

func length(f *frame, x any) (any, error) {
	switch v := x.(type) {
	case []any:
		return int64(len(v)), nil
	case map[string]any:
		return int64(len(v)), nil
	}
	text := x.(string)
	if err := f.budget.long(len(text)); err != nil {
		return nil, err
	}
	return int64(utf8.RuneCountInString(text)), nil
}

// typeName is the name that the language gives a value's type.
func typeName(x any) string {
	switch x.(type) {
	case nil:
		return "nil"
	case []any:
		return "array"
	}
	return kindName(x)
}

func toInt(f *frame, x any) (any, error) {
	switch v := x.(type) {
	case float64:
		if v != v || v >= -math.MinInt64 || v < math.MinInt64 {
			return nil, faultf("%v does not fit into a 64-bit integer", v)
		}
		return int64(v), nil
	case string:
		if err := f.budget.long(len(v)); err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil, faultf("%.40q is not an integer", v)
		}
		return n, nil
	}
	return x, nil
}

func asFloat(f *frame, x any) (any, error) {
	text, ok := x.(string)
	if !ok {
		n, _ := toFloat(x)
		return n, nil
	}
	if err := f.budget.long(len(text)); err != nil {
		return nil, err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_") {
		return nil, faultf("%.40q is not a number", text)
	}
	return finite(n)
}

func abs(_ *frame, x any) (any, error) {
	if v, ok := x.(float64); ok {
		return math.Abs(v), nil
	}
	return signed(x, x.(int64) < 0)
}

// rounding is a function that gives a float without a fraction.
func rounding(round func(float64) float64) *function {
	return unary(numbers, Type{Kind: Float}, func(_ *frame, x any) (any, error) {
		n, _ := toFloat(x)
		return round(n), nil
	})
}

// extremeType is an int where all arguments are; a list may be empty and then
// gives null.
func extremeType(args []Type) Type {
	for _, t := range args {
		if t.Kind != Int {
			return Type{}
		}
	}
	return Type{Kind: Int}
}

// extreme gives the largest number, or with sign -1 the smallest, in the
// arguments and in lists in them; null where there is none.
func extreme(f *frame, args []any, sign int) (any, error) {
	var best any
	err := eachNumber(f, args, 0, func(n any) {
		if best == nil || sign*compareNumbers(n, best) > 0 {
			best = n
		}
	})
	return best, err
}

func mean(f *frame, args []any) (any, error) {
	total, n := 0.0, 0
	err := eachNumber(f, args, 0, func(x any) {
		value, _ := toFloat(x)
		total += value
		n++
	})
	if err != nil || n == 0 {
		return 0.0, err
	}
	return finite(total / float64(n))
}

func median(f *frame, args []any) (any, error) {
	var list []float64
	err := eachNumber(f, args, 0, func(x any) {
		value, _ := toFloat(x)
		list = append(list, value)
	})
	if err != nil || len(list) == 0 {
		return 0.0, err
	}
	if err := f.budget.list(len(list)); err != nil {
		return nil, err
	}
	if err := f.budget.spend(len(list) * 16); err != nil {
		return nil, err
	}
	slices.Sort(list)
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle], nil
	}
	return finite((list[middle-1] + list[middle]) / 2)
}

// eachNumber visits the numbers in a list and in the lists in it.
func eachNumber(f *frame, values []any, depth int, visit func(n any)) error {
	if depth > maxDepth {
		return limitf("lists are nested more than %d deep", maxDepth)
	}
	if err := f.budget.spend(len(values)); err != nil {
		return err
	}
	for _, value := range values {
		switch v := value.(type) {
		case int64, float64:
			visit(v)
		case []any:
			if err := eachNumber(f, v, depth+1, visit); err != nil {
				return err
			}
		default:
			return faultf("a number or a list of numbers is needed, not %s", kindName(value))
		}
	}
	return nil
}

// get is an element of a list or map, or null where there is none.
func get(_ *frame, args []any) (any, error) {
	switch base := args[0].(type) {
	case map[string]any:
		key, ok := args[1].(string)
		if !ok {
			return nil, faultf("an element of a map is named by a string, not %s", kindName(args[1]))
		}
		return base[key], nil
	case []any:
		index, ok := args[1].(int64)
		if !ok {
			return nil, faultf("an element of a list is named by an int, not %s", kindName(args[1]))
		}
		if i, ok := indexIn(index, len(base)); ok {
			return base[i], nil
		}
	}
	return nil, nil
}
