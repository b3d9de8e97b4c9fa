package expression

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// parse reads an expression. The length is bounded first, because the parser
// calls itself for every bracket.
func parse(text string, scope Scope) (ast.Node, *Error) {
	switch {
	case len(text) > MaxLength:
		return nil, &Error{Message: fmt.Sprintf("the expression has %d bytes, at most %d are allowed", len(text), MaxLength)}
	case !utf8.ValidString(text):
		return nil, &Error{Message: "the expression is not valid UTF-8"}
	case strings.TrimSpace(text) == "":
		return nil, &Error{Message: "the expression is empty"}
	}
	node, err := parseText(text)
	if err != nil {
		return nil, syntaxError(text, err, scope)
	}
	return node, nil
}

// parseText calls the parser and turns its panics, should it have any, into
// errors.
func parseText(text string) (node ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, fmt.Errorf("the expression cannot be read: %v", r)
		}
	}()
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return tree.Node, nil
}

// syntaxError words an error of the parser.
func syntaxError(text string, err error, scope Scope) *Error {
	var from *file.Error
	if !errors.As(err, &from) {
		return &Error{Message: err.Error()}
	}
	problem := &Error{Offset: max(from.From, 0), Message: from.Message}
	if strings.HasSuffix(from.Message, "cannot be mixed. Wrap either by parentheses.") {
		problem.Message = "?? stands beside another operator"
		problem.Hint = "put the ?? into parentheses, as in (n ?? 0) + 1"
	}
	token, ok := strings.CutPrefix(from.Message, "unexpected token ")
	switch {
	case ok && token == "EOF", from.Message == "unexpected end of expression":
		problem.Message = "the expression ends too early"
		problem.Offset = utf8.RuneCountInString(text)
	case ok:
		word := tokenText(token)
		problem.Message = "unexpected " + strconv.Quote(word)
		problem.Hint = tokenHint(word, scope)
	}
	if _, number, ok := strings.Cut(from.Message, "strconv."); ok {
		_, number, _ = strings.Cut(number, `"`)
		number, _, _ = strings.Cut(number, `"`)
		problem.Message = "the number " + number + " is no 64-bit integer and no float"
		problem.Offset = utf8.RuneCountInString(text[:max(0, strings.Index(text, number))])
	}
	if strings.HasPrefix(strings.TrimSpace(text), "${") {
		problem.Hint = "write the expression itself, without ${ }"
	}
	return problem
}

// tokenText is the text in the parser's name of a token, `Operator("=")`.
func tokenText(token string) string {
	_, quoted, ok := strings.Cut(token, "(")
	if !ok {
		return token
	}
	word, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
	if err != nil {
		return token
	}
	return word
}

// tokenHint says what may have been meant by a word in the wrong place.
func tokenHint(word string, scope Scope) string {
	if _, ok := scope.Lookup(word); ok && isReserved(word) {
		return fmt.Sprintf("%q is a word of the language: the name is written $env[%q]", word, word)
	}
	switch word {
	case "=":
		return "values are compared with =="
	case "&":
		return "conditions are joined with &&"
	case "#":
		return "# is the element a predicate looks at, as in all(items, # > 0)"
	}
	return ""
}
