package tools

import (
	"regexp"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/params"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/nodes"
)

// Spec is a tool as the file tells it, or one that is written in Go.
type Spec struct {
	nodes.Tool
	Pos  source.Pos
	page *page.Page

	made bool // it is written in Go, and ready
	used bool
	most int // bytes of output
	env  []string
	keys *params.Shape
	exec []string // of a command; nil: it is none
	at   source.Pos
	call *call // nil: it is a command
}

// usualOutput is how much a tool may answer where the file does not say.
const usualOutput = 64 << 10

// toolName is the form of a tool's name.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// spec reads a tool; nil if it is wrong.
func (s *Section) spec(e source.Entry) *Spec {
	t := &Spec{Pos: e.KeyPos, page: s.Page, most: usualOutput}
	t.Name, t.MaxResult = e.Key, -1
	if !toolName.MatchString(e.Key) {
		s.Rep.Errorf(e.KeyPos, "the name of a tool is made of letters, digits, \"_\" and \"-\", at most 64 of them")
	}
	f := s.Rep.Fields(e.Value, "a tool")
	if f.Need("description") != nil {
		t.Description, _ = f.Text("description")
	}
	t.arguments(f)
	t.rules(f)
	t.env = t.variables(f)
	switch f.AtMostOne("exec", "http") {
	case "exec":
		t.command(f)
	case "http":
		t.call = t.httpCall(f.Fields("http", `"http"`))
	default:
		if f.Node != nil {
			s.Rep.Errorf(e.KeyPos, "the tool %q needs \"exec\", a command, or \"http\", a call", e.Key)
		}
	}
	if !f.Done() {
		return nil
	}
	return t
}

// arguments reads what the model calls it with.
func (t *Spec) arguments(f *source.Fields) {
	if t.keys = params.Read(t.page, f, "args", "schema"); t.keys == nil {
		t.keys = params.None()
	}
	if t.keys.Type != "object" {
		t.page.Rep.Errorf(f.KeyPos("schema"), `"schema" must be that of an object: it needs "type: object"`)
	}
	t.Schema = t.keys.Schema
}

// rules reads how the tool is run.
func (t *Spec) rules(f *source.Fields) {
	t.Timeout, _ = f.Duration("timeout", 1, task.Longest)
	if n := f.Take("max_output"); n != nil {
		t.most = t.size(n)
	}
	t.Approve, _ = f.Bool("approve")
	t.Ends, _ = f.Bool("ends")
	t.Strict, _ = f.Bool("strict")
	t.Alone, _ = f.Bool("alone")
	t.Grant, _ = f.Text("grant")
}

// variables reads the names of the environment variables that the tool gets.
func (t *Spec) variables(f *source.Fields) []string {
	if !f.Has("env") {
		return nil
	}
	names, _ := f.TextOrTexts("env")
	for _, name := range names {
		if !models.IsVariable(name) {
			d := t.page.Rep.Errorf(f.Take("env").Pos, "\"env\" has names of environment variables, and one of its texts is none")
			d.Line, d.Hint = "", "their values must not stand in a file"
		}
	}
	return names
}

// command reads the program with its arguments.
func (t *Spec) command(f *source.Fields) {
	t.at = f.Take("exec").Pos
	words, ok := f.TextOrTexts("exec")
	if ok && (len(words) == 0 || words[0] == "") {
		t.page.Rep.Errorf(t.at, `"exec" needs a program`).Hint = "write it like [./weather.sh, --json]"
	}
	for _, n := range f.OneOrMany("exec") {
		if n.Kind == source.String && expressions.MatchString(n.Text) {
			t.page.Rep.Errorf(n.Pos, `"exec" holds no expressions`).Hint = "the program gets the arguments as JSON on its standard input"
		}
	}
	t.exec = words
}

// expressions finds what looks like an expression.
var expressions = regexp.MustCompile(`\$\{`)
