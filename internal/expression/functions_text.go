package expression

import (
	"strings"
	"unicode/utf8"
)

// textFunction finds the functions of strings.
func textFunction(name string) *function {
	switch name {
	case "trim":
		return trimming(strings.Trim, "")
	case "trimPrefix":
		return trimming(strings.TrimPrefix, " ")
	case "trimSuffix":
		return trimming(strings.TrimSuffix, " ")
	case "upper":
		return unary(texts, Type{Kind: String}, rewritten(strings.ToUpper))
	case "lower":
		return unary(texts, Type{Kind: String}, rewritten(strings.ToLower))
	case "split":
		return splitting(false)
	case "splitAfter":
		return splitting(true)
	case "replace":
		return &function{params: []kinds{texts, texts, texts, ints}, optional: 1, result: gives(Type{Kind: String}), run: replace}
	case "repeat":
		return &function{params: []kinds{texts, ints}, result: gives(Type{Kind: String}), run: repeat}
	case "join":
		return &function{params: []kinds{lists, texts}, optional: 1, result: gives(Type{Kind: String}), run: join}
	case "indexOf":
		return finding(strings.Index)
	case "lastIndexOf":
		return finding(strings.LastIndex)
	case "hasPrefix":
		return affixed(strings.HasPrefix)
	case "hasSuffix":
		return affixed(strings.HasSuffix)
	}
	return nil
}

// trimming takes text off the ends; without a second argument the otherwise
// given, or white space where that is empty.
func trimming(cut func(text, what string) string, otherwise string) *function {
	return &function{params: []kinds{texts, texts}, optional: 1, result: gives(Type{Kind: String}), run: func(f *frame, args []any) (any, error) {
		text, what := args[0].(string), otherwise
		if err := f.budget.read(len(text)); err != nil {
			return nil, err
		}
		if len(args) == 2 {
			what = args[1].(string)
		} else if what == "" {
			return strings.TrimSpace(text), nil
		}
		// Each character of the text may be looked up among all of what.
		if err := f.budget.spend(1 + len(text)/64*len(what)); err != nil {
			return nil, err
		}
		return cut(text, what), nil
	}}
}

func rewritten(change func(string) string) func(f *frame, x any) (any, error) {
	return func(f *frame, x any) (any, error) {
		text := x.(string)
		// Some letters take up to three times the bytes in the other case.
		if err := f.budget.take(3 * len(text)); err != nil {
			return nil, err
		}
		return change(text), nil
	}
}

func splitting(after bool) *function {
	return &function{params: []kinds{texts, texts, ints}, optional: 1, result: gives(Type{Kind: List, Elem: String}), run: func(f *frame, args []any) (any, error) {
		text, separator, limit := args[0].(string), args[1].(string), -1
		if len(args) == 3 {
			limit = int(max(-1, min(args[2].(int64), maxMemory)))
		}
		if err := f.budget.read(len(text)); err != nil {
			return nil, err
		}
		if err := f.budget.list(2 * (strings.Count(text, separator) + 1)); err != nil {
			return nil, err
		}
		pieces := strings.SplitN(text, separator, limit)
		if after {
			pieces = strings.SplitAfterN(text, separator, limit)
		}
		list := make([]any, len(pieces))
		for i, piece := range pieces {
			list[i] = piece
		}
		return list, nil
	}}
}

func replace(f *frame, args []any) (any, error) {
	text, old, with, limit := args[0].(string), args[1].(string), args[2].(string), -1
	if len(args) == 4 {
		limit = int(max(-1, min(args[3].(int64), maxMemory)))
	}
	if err := f.budget.read(len(text)); err != nil {
		return nil, err
	}
	n := strings.Count(text, old)
	if limit >= 0 {
		n = min(n, limit)
	}
	if n > 0 && len(with) > maxMemory/n {
		return nil, f.budget.take(maxMemory + 1)
	}
	if err := f.budget.take(len(text) + n*len(with)); err != nil {
		return nil, err
	}
	return strings.Replace(text, old, with, limit), nil
}

func repeat(f *frame, args []any) (any, error) {
	text, n := args[0].(string), args[1].(int64)
	if n < 0 {
		return nil, faultf("cannot repeat a text %d times", n)
	}
	if len(text) > 0 && n > int64(maxMemory/len(text)) {
		return nil, f.budget.take(maxMemory + 1)
	}
	if err := f.budget.take(len(text) * int(n)); err != nil {
		return nil, err
	}
	if text == "" {
		return "", nil
	}
	return strings.Repeat(text, int(n)), nil
}

func join(f *frame, args []any) (any, error) {
	list, separator := args[0].([]any), ""
	if len(args) == 2 {
		separator = args[1].(string)
	}
	if err := f.budget.spend(len(list)); err != nil {
		return nil, err
	}
	pieces := make([]string, len(list))
	for i, value := range list {
		piece, ok := value.(string)
		if !ok {
			return nil, &fault{
				message: faultf("join needs a list of strings, element %d is %s", i, kindName(value)).Error(),
				hint:    "join(map(list, string(#)), \", \") joins other values",
			}
		}
		if err := f.budget.take(len(piece) + len(separator)); err != nil {
			return nil, err
		}
		pieces[i] = piece
	}
	return strings.Join(pieces, separator), nil
}

// finding is a function that gives where a text is in another, counted in
// characters, or -1.
func finding(find func(text, part string) int) *function {
	return &function{params: []kinds{texts, texts}, result: gives(Type{Kind: Int}), run: func(f *frame, args []any) (any, error) {
		text, part := args[0].(string), args[1].(string)
		if err := f.budget.read(2 * len(text)); err != nil {
			return nil, err
		}
		place := find(text, part)
		if place < 0 {
			return int64(-1), nil
		}
		return int64(utf8.RuneCountInString(text[:place])), nil
	}}
}

func affixed(test func(text, part string) bool) *function {
	return &function{params: []kinds{texts, texts}, result: gives(Type{Kind: Bool}), run: func(f *frame, args []any) (any, error) {
		part := args[1].(string)
		if err := f.budget.long(len(part)); err != nil {
			return nil, err
		}
		return test(args[0].(string), part), nil
	}}
}
