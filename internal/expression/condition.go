package expression

import "fmt"

// Condition is a bare expression that is true or false, as `when` holds it.
// It is immutable and may be used by many goroutines at once.
type Condition struct {
	program *program
	text    string
	scope   Scope
}

// CompileCondition checks and compiles an expression whose value is a bool,
// or not known to be none. Its error is an *Error, or Errors where there are
// several problems.
func CompileCondition(text string, s Scope) (*Condition, error) {
	p, problems := compile(text, s)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	if !(bools | 1<<Null).accepts(p.kind) || p.kind.Kind == Null {
		return nil, &Error{
			Message: fmt.Sprintf("a condition is a bool, this is %s", p.kind),
			Hint:    "compare it with a value, as in n > 0 or topic == \"done\"",
		}
	}
	return &Condition{program: p, text: text, scope: s}, nil
}

// Holds evaluates the condition. A null value does not hold. Errors are of
// type *Error; those that wrap ErrLimit say that the evaluation cost too much.
func (c *Condition) Holds(env Env) (bool, error) {
	value, err := c.program.run(env)
	if err != nil {
		return false, err
	}
	switch v := value.(type) {
	case bool:
		return v, nil
	case nil:
		return false, nil
	}
	return false, &Error{Message: fmt.Sprintf("a condition is a bool, this gave %s", kindName(value))}
}

// String gives the text of the condition.
func (c *Condition) String() string { return c.text }
