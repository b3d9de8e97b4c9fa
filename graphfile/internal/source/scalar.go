package source

import (
	"errors"
	"strconv"
	"strings"
)

// check resolves a text without quotes and reports a number that cannot be held.
func (t *tree) check(n *Node) {
	if problem := n.resolve(); problem != "" {
		t.rep.Errorf(n.Pos, "the number %s %s", excerpt(n.Text), problem).Hint = "put it in quotes if it is text"
	}
}

// resolve sets the kind and the value of a text without quotes, and says what
// is wrong with a number.
func (n *Node) resolve() string {
	switch n.Text {
	case "null", "Null", "NULL", "~":
		n.Kind = Null
	case "true", "True", "TRUE":
		n.Kind, n.Bool = Bool, true
	case "false", "False", "FALSE":
		n.Kind = Bool
	default:
		return n.number()
	}
	return ""
}

func (n *Node) number() string {
	text := n.Text
	if text == "" || strings.IndexByte("+-.0123456789", text[0]) < 0 {
		return ""
	}
	unsigned := strings.TrimLeft(text[:1], "+-") + text[1:]
	switch {
	case strings.HasPrefix(text, "0x"):
		return n.integer(text[2:], 16)
	case strings.HasPrefix(text, "0o"):
		return n.integer(text[2:], 8)
	case digits(unsigned) == len(unsigned):
		return n.integer(strings.TrimPrefix(text, "+"), 10)
	case isFloat(unsigned):
		return n.float()
	}
	switch unsigned {
	case ".inf", ".Inf", ".INF":
		return "is not finite"
	}
	switch text {
	case ".nan", ".NaN", ".NAN":
		return "is not a number"
	}
	return ""
}

// integer reads digits of a base; what is no number stays text.
func (n *Node) integer(text string, base int) string {
	if base != 10 && strings.ContainsAny(text, "+-_") {
		return ""
	}
	v, err := strconv.ParseInt(text, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		n.Kind = Int
		return "does not fit 64 bits: it must be from -9223372036854775808 to 9223372036854775807"
	case err == nil:
		n.Kind, n.Int = Int, v
	}
	return ""
}

func (n *Node) float() string {
	v, err := strconv.ParseFloat(n.Text, 64)
	n.Kind = Float
	if err != nil {
		return "is too large for a 64-bit float"
	}
	n.Float = v
	return ""
}

// digits counts the decimal digits a text starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// isFloat tells whether a text without sign is digits with a point among them,
// an exponent behind them, or both.
func isFloat(s string) bool {
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if strings.HasPrefix(s, ".") {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}
