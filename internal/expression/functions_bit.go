package expression

// bitFunction finds the functions of the bits of ints.
func bitFunction(name string) *function {
	switch name {
	case "bitand":
		return bitwise(func(x, y int64) int64 { return x & y })
	case "bitor":
		return bitwise(func(x, y int64) int64 { return x | y })
	case "bitxor":
		return bitwise(func(x, y int64) int64 { return x ^ y })
	case "bitnand":
		return bitwise(func(x, y int64) int64 { return x &^ y })
	case "bitshl":
		return shift(func(x int64, by uint64) int64 { return x << by })
	case "bitshr":
		return shift(func(x int64, by uint64) int64 { return x >> by })
	case "bitushr":
		return shift(func(x int64, by uint64) int64 { return int64(uint64(x) >> by) })
	case "bitnot":
		return unary(ints, Type{Kind: Int}, func(_ *frame, x any) (any, error) { return ^x.(int64), nil })
	}
	return nil
}

func bitwise(do func(x, y int64) int64) *function {
	return &function{params: []kinds{ints, ints}, result: gives(Type{Kind: Int}), run: func(_ *frame, args []any) (any, error) {
		return do(args[0].(int64), args[1].(int64)), nil
	}}
}

func shift(do func(x int64, by uint64) int64) *function {
	return &function{params: []kinds{ints, ints}, result: gives(Type{Kind: Int}), run: func(_ *frame, args []any) (any, error) {
		by := args[1].(int64)
		if by < 0 {
			return nil, faultf("cannot shift by %d bits", by)
		}
		return do(args[0].(int64), uint64(by)), nil
	}}
}
