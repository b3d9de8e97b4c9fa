package expression

import "math"

// signed gives + or - of a number.
func signed(value any, minus bool) (any, error) {
	switch v := value.(type) {
	case int64:
		switch {
		case !minus:
			return v, nil
		case v == math.MinInt64:
			return nil, faultf("-(%d) does not fit into a 64-bit integer", v)
		}
		return -v, nil
	case float64:
		if minus {
			return -v, nil
		}
		return v, nil
	}
	return nil, faultf("a sign needs a number, not %s", kindName(value))
}

// floats gives both sides as floats.
func floats(operator string, l, r any) (a, b float64, err error) {
	a, ok := toFloat(l)
	b, both := toFloat(r)
	if ok && both {
		return a, b, nil
	}
	wanted := "two numbers"
	if operator == "+" {
		wanted = "two numbers or two strings"
	}
	return 0, 0, faultf("%s needs %s, not %s and %s", operator, wanted, kindName(l), kindName(r))
}

func toFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// finite refuses what JSON cannot hold.
func finite(x float64) (any, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, faultf("the result is not a finite number")
	}
	return x, nil
}

func overflow(operator string, a, b int64) error {
	return &fault{
		message: faultf("%d %s %d does not fit into a 64-bit integer", a, operator, b).Error(),
		hint:    "float(value) counts further, but rounds",
	}
}

// adder sums numbers up: in ints as long as all are ints.
type adder struct {
	ints int64
	rest any
}

func (a *adder) add(f *frame, value any) error {
	n, isInt := value.(int64)
	total := a.ints + n
	if isInt && a.rest == nil && (total > a.ints) == (n > 0) {
		a.ints = total
		return nil
	}
	if _, ok := toFloat(value); !ok {
		return faultf("sum adds numbers, not %s", kindName(value))
	}
	sum, err := add(f, a.value(), value)
	a.rest = sum
	return err
}

// value is the sum; that of nothing is the int 0.
func (a *adder) value() any {
	if a.rest != nil {
		return a.rest
	}
	return a.ints
}
