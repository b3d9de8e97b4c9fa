package graphfile_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// spoken are models that answer with texts in turn, by their names.
type spoken struct {
	texts map[string][]string
	asked []*model.Request
	specs []graphfile.ModelSpec
}

func (s *spoken) make(spec graphfile.ModelSpec) (model.Model, error) {
	s.specs = append(s.specs, spec)
	if s.texts[spec.Name] == nil {
		return nil, errors.New("there is no such model")
	}
	return model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
		s.asked = append(s.asked, r)
		text := s.texts[spec.Name][0]
		s.texts[spec.Name] = s.texts[spec.Name][1:]
		out := &model.Response{Message: state.Text(state.RoleAI, text), Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 2}}
		if name, args, ok := strings.Cut(text, " "); ok && name == "call" {
			tool, data, _ := strings.Cut(args, " ")
			out.Message = state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{ID: "c", Name: tool, Args: json.RawMessage(data)}}}
			out.Stop = model.StopCalls
		}
		return out, nil
	}), nil
}

// ran runs a file, and returns the values that it ends with.
func ran(t *testing.T, text, input string, opt *graphfile.Options) map[string]any {
	t.Helper()
	f, err := graphfile.Parse("x.yaml", []byte(text), opt)
	require.NoError(t, err)
	writes, err := f.Input([]byte(input))
	require.NoError(t, err)
	out, err := f.Graph().On(checkpoint.NewMemory(nil), nil).Invoke(t.Context(), writes, &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	data, err := out.State.MarshalJSON()
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, json.Unmarshal(data, &values))
	return values
}

func TestAnAnswerGoesIntoAField(t *testing.T) {
	t.Parallel()
	const file = `
state: {messages: {reduce: messages}, city: {type: string}, found: {type: map}, used: {reduce: sum}}
models: {fast: {use: "openai:m", temperature: 0, max_tokens: 9, stop: END, seed: 3, retry: {max_attempts: 1}}}
nodes:
  a:
    agent: {model: fast, instructions: "About ${upper(city)}.", output: {fields: {n: int, why: {type: string, optional: true, description: the reason}}, into: found}, usage: used, memory: {last: 1}}
edges: [START -> a]`
	s := &spoken{texts: map[string][]string{"m": {"no idea", "```json\n{\"n\": 7}\n```"}}}
	values := ran(t, file, `{"city": "Oslo", "messages": [{"type": "human", "content": "first"}, {"type": "human", "content": "How many?"}]}`, &graphfile.Options{Models: s.make})
	require.Equal(t, map[string]any{"n": 7.0}, values["found"])
	require.Equal(t, 24.0, values["used"], "both calls count")
	require.Len(t, s.asked, 2)
	r := s.asked[0]
	require.Equal(t, "About OSLO.", r.Messages[0].Text())
	require.Contains(t, r.Messages[1].Text(), "How many?")
	require.JSONEq(t, `{"type":"object","properties":{"n":{"type":"integer"},"why":{"type":"string","description":"the reason"}},"required":["n"],"additionalProperties":false}`, string(r.Schema.Schema))
	require.Equal(t, []any{0.0, 9, []string{"END"}, int64(3)}, []any{*r.Temperature, r.MaxTokens, r.Stop, *r.Seed})
	require.Equal(t, "x.yaml:3:10", s.specs[0].Place)
}

// Subgraphs know the models and tools of the graphs around them, and each model is
// made once.
func TestSubgraphsKnowModelsAndTools(t *testing.T) {
	t.Parallel()
	const file = `
state: {messages: {reduce: messages}}
models: {fast: "openai:m", slow: "openai:n"}
nodes:
  a: {agent: {model: fast, tools: look}}
  b:
    graph:
      state: {messages: {reduce: messages}}
      models: {slow: "openai:m"}
      nodes:
        c: {agent: {model: fast, tools: [look]}}
        d: {agent: {model: slow}}
      edges: [START -> c, c -> d]
  e: {agent: {model: slow}}
  f: {agent: {model: "anthropic:m"}}
  g: {agent: {model: "anthropic:m"}}
edges: [START -> a, a -> b, b -> e, e -> f, f -> g]`
	s := &spoken{texts: map[string][]string{"m": {"call look {\"q\":1}", "a", "c", "d", "f", "g"}, "n": {"e"}}}
	var agents []string
	look := nodes.Tool{Name: "look", Run: func(ctx context.Context, args json.RawMessage) (string, error) {
		call, _ := nodes.CallOf(ctx)
		r, ok := nodes.StateOf[state.Record](ctx)
		ms, _ := r.Get("messages")
		assert.True(t, ok)
		assert.Len(t, ms, 1)
		agents = append(agents, call.Agent)
		return "seen " + string(args), nil
	}}
	values := ran(t, file, `{"messages": [{"type": "human", "content": "x"}]}`, &graphfile.Options{Models: s.make, Tools: []nodes.Tool{look}})
	var said []any
	for _, m := range values["messages"].([]any) {
		said = append(said, m.(map[string]any)["content"])
	}
	require.Equal(t, []any{"x", "", `seen {"q":1}`, "a", "c", "d", "e", "f", "g"}, said)
	require.Equal(t, []string{"a"}, agents)
	require.Len(t, s.specs, 4, "the model of the text is made once, and so is that of a name")
}

func TestAFileWithoutModelsIsOnlyLookedAt(t *testing.T) {
	t.Parallel()
	const file = `
state: {messages: {reduce: messages}}
tools: {look: {description: x, exec: [none]}}
nodes: {a: {agent: {model: "openai:m", tools: look}}}
edges: [START -> a]`
	f, err := graphfile.Parse("x.yaml", []byte(file), nil)
	require.NoError(t, err)
	_, err = f.Graph().Invoke(t.Context(), nil, nil)
	require.ErrorContains(t, err, "x.yaml:4:28: the model openai:m was not made: the file was loaded without Options.Models")

	s := &spoken{texts: map[string][]string{"m": {"call look {}", "done"}}}
	values := ran(t, file, `{"messages": [{"type": "human", "content": "x"}]}`, &graphfile.Options{Models: s.make})
	require.Equal(t, `Error: x.yaml:3:9: the tool "look" was not made ready`, values["messages"].([]any)[2].(map[string]any)["content"])

	_, err = graphfile.Parse("x.yaml", []byte(file), &graphfile.Options{Models: (&spoken{}).make, Allow: &graphfile.Allow{}})
	var unready *graphfile.NotReady
	require.ErrorAs(t, err, &unready)
	require.Len(t, unready.Problems, 2)
	require.Equal(t, `x.yaml:3:38: error: the tool "look" runs a command, which is not allowed`, unready.Problems[0].Summary())
	require.Equal(t, `x.yaml:4:28: error: agent "a": the model openai:m: there is no such model`, unready.Problems[1].Summary())
	require.Contains(t, err.Error(), "allow commands by --allow-exec, or in Go by Options.Allow")

	_, err = graphfile.Parse("x.yaml", []byte(file), &graphfile.Options{Allow: &graphfile.Allow{Hosts: []string{"a/b"}}})
	require.ErrorContains(t, err, `"a/b" is no host`)
}

// A program may know more providers, puts what it likes around its models, and
// what the file says of retries is inside of that.
func TestProvidersAndWrappersOfAProgram(t *testing.T) {
	t.Parallel()
	const file = `
state: {messages: {reduce: messages}}
nodes: {a: {agent: {model: {use: "mine:m", retry: {max_attempts: 3, initial_interval: 0}}}}}
edges: [START -> a]`
	_, err := graphfile.Parse("x.yaml", []byte(file), nil)
	require.ErrorContains(t, err, `unknown provider "mine"`)
	tries, around := 0, 0
	opt := &graphfile.Options{Providers: []string{"mine"},
		Models: func(graphfile.ModelSpec) (model.Model, error) {
			return model.Func(func(context.Context, *model.Request) (*model.Response, error) {
				if tries++; tries < 3 {
					return nil, &model.Error{Class: model.Overloaded}
				}
				return &model.Response{Message: state.Text(state.RoleAI, "at last"), Stop: model.StopEnd}, nil
			}), nil
		},
		Around: func(m model.Model) model.Model {
			return model.Func(func(ctx context.Context, r *model.Request) (*model.Response, error) {
				around++
				return model.Collect(m.Stream(ctx, r), nil)
			})
		}}
	values := ran(t, file, `{"messages": [{"type": "human", "content": "x"}]}`, opt)
	require.Equal(t, "at last", values["messages"].([]any)[1].(map[string]any)["content"])
	require.Equal(t, []int{3, 1}, []int{tries, around})
}

func TestAModelJudgesAndPlans(t *testing.T) {
	t.Parallel()
	const file = `
agents: {a: {turns: [{say: "did ${turn.task}"}]}, b: {turns: [{say: x}]}}
handoffs: {entry: a}
plan: {planner: {model: "openai:planner", instructions: Short plans.}, judge: {model: "openai:judge"}}`
	s := &spoken{texts: map[string][]string{"planner": {`{"goal": "g", "steps": [{"id": "s1", "agent": "a", "task": "t"}]}`}, "judge": {}}}
	opt := &graphfile.Options{Models: s.make}
	values := ran(t, file, `{"messages": [{"type": "human", "content": "do it"}]}`, opt)
	require.Equal(t, "did t", values["messages"].([]any)[1].(map[string]any)["content"])
	require.Contains(t, s.asked[0].Messages[0].Text(), "Short plans.")
	require.NotNil(t, s.asked[0].Schema)

	opt.Planner = nilPlanner{}
	_, err := graphfile.Parse("x.yaml", []byte(file), opt)
	require.ErrorContains(t, err, "the plan has a planner in the file and one in Go")
}

func TestUnusedModelsAndToolsAreOdd(t *testing.T) {
	t.Parallel()
	f, err := graphfile.Parse("x.yaml", []byte(`
models: {used: "openai:m", idle: "openai:n"}
tools: {idle: {description: x, exec: x}}
agents: {a: {model: used}}`), nil)
	require.NoError(t, err)
	require.Len(t, f.Warnings(), 2)
	require.Equal(t, `x.yaml:2:28: warning: the model "idle" is used by nothing`, f.Warnings()[0].Summary())
	require.Equal(t, `x.yaml:3:9: warning: the tool "idle" is used by no agent`, f.Warnings()[1].Summary())
}

// nilPlanner plans nothing.
type nilPlanner struct{}

func (nilPlanner) Plan(context.Context, *plan.Request) (*plan.Proposal, error) { return nil, nil }

// A file of an fs.FS has no directory in which a command could run.
func TestAFileOfAnFSRunsNoCommands(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"x.yaml": {Data: []byte("state: {messages: {reduce: messages}}\ntools: {look: {description: x, exec: [sh]}}\nnodes: {a: {agent: {model: \"openai:m\", tools: look}}}\nedges: [START -> a]")}}
	s := &spoken{texts: map[string][]string{"m": {"x"}}}
	_, err := graphfile.Load("x.yaml", &graphfile.Options{FS: files, Models: s.make, Allow: &graphfile.Allow{Exec: true, Getenv: os.Getenv}})
	require.ErrorContains(t, err, `the tool "look" runs a command, and the file is in no directory of the system`)
}

// Agents that are sent to see what they are sent, side by side.
func TestAgentsAreSentTo(t *testing.T) {
	t.Parallel()
	const file = `
state: {cities: {default: [Oslo, Rome]}, messages: {reduce: messages}, found: {reduce: append}}
nodes:
  ask: {send: {to: look, each: "${cities}", input: {city: "${it}"}}}
  look: {agent: {model: "openai:m", instructions: "Only ${city}.", output: {fields: {city: string}, into: found}}}
edges: [START -> ask]`
	f, err := graphfile.Parse("x.yaml", []byte(file), &graphfile.Options{Models: func(graphfile.ModelSpec) (model.Model, error) {
		return model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
			city := strings.TrimSuffix(strings.TrimPrefix(r.Messages[0].Text(), "Only "), ".")
			return &model.Response{Message: state.Text(state.RoleAI, `{"city": "`+city+`"}`), Stop: model.StopEnd}, nil
		}), nil
	}})
	require.NoError(t, err)
	out, err := f.Graph().Invoke(t.Context(), nil, nil)
	require.NoError(t, err)
	found, _ := out.State.Get("found")
	require.Equal(t, []any{map[string]any{"city": "Oslo"}, map[string]any{"city": "Rome"}}, found)
}
