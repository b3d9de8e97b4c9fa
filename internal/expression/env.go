package expression

// Env gives the values of names during an evaluation. The values are nil,
// bool, int64, float64, string, []any and map[string]any, and so on inside;
// an expression never changes them, but its result may share them. A name
// that is missing is null, and a nil Env has no names.
type Env interface {
	Lookup(name string) (value any, ok bool)
}

// Values is an Env made of a map. It must not change while an expression is
// evaluated.
type Values map[string]any

// Lookup gives the value of a name, and whether there is one.
func (v Values) Lookup(name string) (any, bool) {
	value, ok := v[name]
	return value, ok
}

// frame is what one evaluation works on.
type frame struct {
	env    Env
	budget budget
	loops  [maxNesting]loop
	locals []any
}

// loop is where a predicate stands in its list.
type loop struct {
	item  any
	index int
	acc   any
}

// code evaluates one node.
type code func(f *frame) (any, error)

// program is a whole expression, ready to run. It is immutable.
type program struct {
	root   code
	locals int
	kind   Type
	// constant says that the value is the same wherever it is evaluated.
	constant bool
}

// newFrame starts an evaluation with a full budget. No Env is one without
// names.
func newFrame(env Env) *frame {
	if env == nil {
		env = Values(nil)
	}
	return &frame{env: env, budget: budget{steps: maxSteps, memory: maxMemory}}
}

// run evaluates the program with a full budget.
func (p *program) run(env Env) (any, error) {
	return p.in(newFrame(env))
}

// in evaluates the program on a frame that others use too, so that the parts
// of one template share a budget.
func (p *program) in(f *frame) (any, error) {
	if p.locals > len(f.locals) {
		f.locals = make([]any, p.locals)
	}
	return p.root(f)
}
