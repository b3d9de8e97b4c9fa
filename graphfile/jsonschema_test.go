package graphfile_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(graphfile.JSONSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// instance is the content of a graph file as the schema sees it.
func instance(t *testing.T, name string, data []byte) any {
	t.Helper()
	f, err := source.Parse(name, data, source.Limits{})
	require.NoError(t, err)
	text, err := f.Root.MarshalJSON()
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return doc
}

func TestJSONSchemaAcceptsWhatParseAccepts(t *testing.T) {
	t.Parallel()
	s := compiledSchema(t)
	paths := append(append(files(t, "valid/*.yaml"), files(t, "valid/*.json")...), files(t, "warned/*.yaml")...)
	paths = append(append(paths, files(t, "teams/*.yaml")...), files(t, "../../testdata/handoffs/*.yaml")...)
	paths = append(paths, files(t, "../../testdata/models/*.yaml")...)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NoError(t, s.Validate(instance(t, path, data)), path)
	}
	for _, c := range recordedCases(t) {
		assert.NoError(t, s.Validate(instance(t, c.Name, c.Graph)), c.Name)
	}
}

// TestJSONSchemaRefusesWhatParseRefuses takes files apart that are wrong in a
// way that a schema can see.
func TestJSONSchemaRefusesWhatParseRefuses(t *testing.T) {
	t.Parallel()
	s := compiledSchema(t)
	tests := []string{
		"nods: {}", "name: 3", "description: [x]", "agents: {}", "nodes: [a]", "nodes: {START: {}}", "edges: a -> b", "3",
		"state: {a: string}", "state: {a: {reduce: summ}}", "state: {a: {type: integer}}", "state: {a: {reduce: sum, type: string}}",
		"state: {a: {reduce: max, type: list}}", "state: {a: {defualt: 1}}",
		"nodes: {a: {fial: {error: x}}}", "nodes: {a: [1]}", "nodes: {a: {fail: {attempts: 1}}}", "nodes: {a: {fail: {error: x, attempts: -1}}}",
		"nodes: {a: {sleep: 5 minutes}}", "nodes: {a: {sleep: 5}}", "nodes: {a: {sleep: -1s}}", "nodes: {a: {timeout: soon}}", "nodes: {a: {defer: 'yes'}}",
		"nodes: {a: {interrupt: {into: a}}}", "nodes: {a: {interrupt: [{value: 1, into: ''}]}}", "nodes: {a: {interrupt: question}}",
		"nodes: {a: {update: [log]}}", "nodes: {a: {goto: {to: b}}}", "nodes: {a: {goto: [1]}}", "nodes: {a: {parent: 1}}",
		"nodes: {a: {send: [{each: [1]}]}}", "nodes: {a: {send: {to: [b, c]}}}", "nodes: {a: {send: {to: END}}}", "nodes: {a: {send: {to: b, input: 3}}}", "nodes: {a: {send: {to: b, each: {}}}}",
		"nodes: {a: {cases: []}}", "nodes: {a: {cases: [{when: 3}]}}", "nodes: {a: {cases: [{retry: {}}]}}", "nodes: {a: {cases: [{goto: b, to: c}]}}",
		"nodes: {a: {retry: {max_attempts: 0}}}", "nodes: {a: {retry: {backoff: 0.5}}}", "nodes: {a: {retry: {jitter: 1}}}", "nodes: {a: {retry: {tries: 3}}}",
		"nodes: {a: {graph: inner.yaml}}", "nodes: {a: {graph: {file: 3}}}", "nodes: {a: {graph: {file: x, name: y}}}", "nodes: {a: {graph: {nods: {}}}}", "nodes: {a: {graph: {}, update: {}}}",
		"edges: [a]", "edges: ['a ->']", "edges: ['-> b']", "edges: [3]", "edges: [{from: a}]", "edges: [{to: b}]", "edges: [{from: a, to: b, cases: [{to: b}]}]",
		"edges: [{from: [a, b], cases: [{to: b}]}]", "edges: [{from: a, cases: []}]", "edges: [{from: a, cases: [{when: x}]}]", "edges: [{from: a, cases: [{to: b, if: x}]}]",
		"edges: [{from: a, to: []}]", "edges: [{from: a, to: START}]", "edges: [{from: a, to: b, when: x}]",
		"recursion_limit: 0", "recursion_limit: many", "interrupt_before: {a: b}", "interrupt_after: 3",
	}
	for _, text := range tests {
		assert.Error(t, s.Validate(instance(t, "x.yaml", []byte(text))), text)
		_, err := graphfile.Parse("x.yaml", []byte(text), nil)
		assert.Error(t, err, text)
	}
}

// TestJSONSchemaRefusesWrongAgents does the same for the sections about agents.
func TestJSONSchemaRefusesWrongAgents(t *testing.T) {
	t.Parallel()
	s := compiledSchema(t)
	var tests []string
	for _, text := range []string{"[a]", "{a: [1]}", "{START: {}}", "{complete: {}}", "{'': {}}", "{a: {nme: x}}", "{a: {system: 'yes'}}", "{a: {capabilities: 3}}",
		"{a: {max_concurrent: 0}}", "{a: {weight: -1}}", "{a: {turns: []}}", "{a: {turns: {}}}", "{a: {retry: {tries: 1}}}"} {
		tests = append(tests, "agents: "+text)
	}
	for _, text := range []string{"x", "wen: x", "when: 3", "takes: 5", "tokens: -1", "tokens: 1.5", "fail: {}", "interrupt: {}", "tool: {}", "tool: {name: ''}",
		"tool: {name: x, output: 1, error: e}", "say: 3", "update: [x]", "handoff: a", "handoff: {}", "handoff: {to: a, capability: b}", "handoff: {to: a, payload: [1]}",
		"handoff: {to: a, budget: {tokens: 0}}", "handoff: {to: a, return_control: 1}", "spawn: {}", "spawn: {branches: []}", "spawn: {branches: [{task: x}]}",
		"spawn: {branches: [{to: a}], join: {need: 0}}", "spawn: {branches: [{to: a}], join: {resolve: best}}", "wait: {}", "wait: {count: 2, for: 1h}", "emit: {}", "emit: 3",
		"refuse: [x]", "resume: [x]", "return: [x]", "return: {txt: x}", "return: {retryable: 3}"} {
		tests = append(tests, "agents: {a: {turns: [{"+text+"}]}}")
	}
	for _, text := range []string{"handoffs: [x]", "handoffs: {presets: x}", "handoffs: {preset: x}", "handoffs: {supervisor: 3}", "handoffs: {limits: {handoffs: -1}}",
		"handoffs: {classes: {a: 3}}", "handoffs: {loops: [{key: target}]}", "handoffs: {loops: [{key: round, threshold: 1}]}", "handoffs: {breaker: {key: x}}",
		"handoffs: {breaker: {factor: 0.5}}", "handoffs: {router: x}", "handoffs: {queue: {levels: {urgent: 1}}}", "handoffs: {approve: {default: approve}}", "handoffs: {approve: 3}",
		"handoffs: {on_reject: {loop: x}}", "handoffs: {on_reject: {loops: source}}", "handoffs: {on_failure: {rout: a}}", "handoffs: {on_multiple: x}", "handoffs: {on_switch: x}",
		"handoffs: {on_siblings: x}", "handoffs: {context: some}", "handoffs: {context: custom}", "handoffs: {need: [x]}", "handoffs: {texts: {loop: 3}}", "handoffs: {redact: 3}",
		"handoffs: {signals: [{after: 1h, type: x}]}", "handoffs: {clock: '2026-01-01T00:00:00Z', signals: [{type: x}]}", "handoffs: {edges: [a]}", "handoffs: {edges: [{kinds: x}]}",
		"handoffs: {edges: [{payload: {n: integer}}]}", "handoffs: {edges: [{to: a, capability: x}]}", "handoffs: {edges: [{returns: x}]}", "rules: 3", "rules: {}", "rules: [3]",
		"rules: [{to: a, capability: x}]", "rules: [{to: a, kind: spawn}]", "rules: [{to: a, order: x}]", "rules: {list: [], expect: {a: -1}}", "workflow: {}", "workflow: {start: 3, states: {}}",
		"workflow: {start: a, states: {a: null}, transitions: {a: {b: c}}}"} {
		tests = append(tests, "agents: {a: {}}\n"+text)
	}
	for _, text := range []string{"[x]", "{id: 3}", "{goals: x}", "{order: circle}", "{review: never}", "{replans: -1}", "{parallel: 0}", "{every_round: true}",
		"{on_failure: skip}", "{on_failure: {do: forget}}", "{on_orphan: {to: [a]}}", "{planner: []}", "{planner: [{}]}", "{planner: [{answer: x, steps: []}]}",
		"{planner: [{answer: 3}]}", "{steps: [a]}", "{steps: [{agent: a}]}", "{steps: [{id: ''}]}", "{steps: [{id: s, agent: a, capability: b}]}",
		"{steps: [{id: s, agent: a, status: done}]}", "{steps: [{id: s, agent: a, depends_on: t}]}", "{steps: [{id: s, agent: a, accept: {schema: 3}}]}",
		"{steps: [{id: s, agent: a, retry: {max: 0}}]}", "{steps: [{id: s, agent: a, timeout: soon}]}", "{steps: [{id: s, agent: a, input: [x]}]}"} {
		tests = append(tests, "agents: {a: {capabilities: [b]}}\nplan: "+text)
	}
	for _, text := range append(tests, "plan: {}", "handoffs: {}", "rules: []", "workflow: {start: a, states: {a: null}}") {
		assert.Error(t, s.Validate(instance(t, "x.yaml", []byte(text))), text)
		_, err := graphfile.Parse("x.yaml", []byte(text), nil)
		assert.Error(t, err, text)
	}
}

// TestJSONSchemaRefusesWrongModels does the same for models, tools and agents
// that have them.
func TestJSONSchemaRefusesWrongModels(t *testing.T) {
	t.Parallel()
	s := compiledSchema(t)
	var tests []string
	for _, text := range []string{"[x]", "{'': 'openai:m'}", "{'a:b': 'openai:m'}", "{m: gpt-4o}", "{m: 'openai: '}", "{m: 3}", "{m: {}}", "{m: {use: x}}", "{m: {use: 'openai:m', key: x}}",
		"{m: {use: 'openai:m', key_env: sk-1}}", "{m: {use: 'openai:m', base_url: host}}", "{m: {use: 'openai:m', temperature: 3}}", "{m: {use: 'openai:m', max_tokens: 0}}",
		"{m: {use: 'openai:m', stop: {}}}", "{m: {use: 'openai:m', timeout: 5}}", "{m: {use: 'openai:m', retry: {tries: 1}}}", "{m: {use: 'openai:m', limit: {requests: 1}}}", "{m: {use: 'openai:m', extra: [x]}}"} {
		tests = append(tests, "models: "+text)
	}
	for _, text := range []string{"{}", "{exec: x}", "{description: x}", "{description: x, exec: []}", "{description: x, exec: ['${a}']}", "{description: x, exec: x, http: {url: 'https://h/'}}",
		"{description: x, exec: x, args: {a: strng}}", "{description: x, exec: x, args: {a: {}}}", "{description: x, exec: x, args: {}, schema: {type: object}}", "{description: x, exec: x, schema: {type: array}}",
		"{description: x, exec: x, max_output: 5TB}", "{description: x, exec: x, timeout: 5}", "{description: x, exec: x, approve: 1}", "{description: x, exec: x, env: 3}", "{description: x, http: {}}",
		"{description: x, http: {url: 'ftp://h/'}}", "{description: x, http: {url: 'https://h/', method: FETCH}}", "{description: x, http: {url: 'https://h/', headers: {a: 3}}}", "{description: x, http: {url: 'https://h/', x: 3}}"} {
		tests = append(tests, "tools: {t: "+text+"}")
	}
	for _, text := range []string{"model: 3", "model: {}", "model: 'openai:m', turns: [{say: x}]", "instructions: x", "tools: x", "model: 'openai:m', instructions: 3", "model: 'openai:m', tools: {}",
		"model: 'openai:m', output: {}", "model: 'openai:m', output: {fields: {a: x}}", "model: 'openai:m', output: {fields: {}, schema: {}}", "model: 'openai:m', limits: {calls: 3}", "model: 'openai:m', limits: {model_calls: -1}",
		"model: 'openai:m', memory: {}", "model: 'openai:m', memory: {last: 0}", "model: 'openai:m', memory: {last: 1, summary: 3}", "model: 'openai:m', handoff: {style: two}", "model: 'openai:m', handoff: {tries: -1}",
		"model: 'openai:m', usage: 3", "model: 'openai:m', parallel: 0", "model: 'openai:m', one_call: 1"} {
		tests = append(tests, "agents: {a: {"+text+"}}")
	}
	tests = append(tests,
		"tools: {ask_person: {description: x, exec: x}}", "tools: {'a b': {description: x, exec: x}}", "nodes: {a: {agent: {}}}", "nodes: {a: {agent: {model: 'openai:m', handoff: {}}}}",
		"nodes: {a: {agent: {model: 'openai:m'}, update: {}}}", "nodes: {a: {agent: {model: 'openai:m'}, graph: {}}}", "nodes: {a: {agent: {model: 'openai:m', messages: 3}}}",
		"agents: {a: {}}\nhandoffs: {router: {}}", "agents: {a: {}}\nhandoffs: {router: {model: 'openai:m', fallback: x}}", "agents: {a: {}}\nplan: {planner: {}}",
		"agents: {a: {}}\nplan: {planner: {model: 'openai:m', x: 1}}", "agents: {a: {}}\nplan: {judge: {}}",
	)
	for _, text := range tests {
		assert.Error(t, s.Validate(instance(t, "x.yaml", []byte(text))), text)
		_, err := graphfile.Parse("x.yaml", []byte(text), nil)
		assert.Error(t, err, text)
	}
}

func TestJSONSchemaDescribesItsKeys(t *testing.T) {
	t.Parallel()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(graphfile.JSONSchema()))
	require.NoError(t, err)
	defs := doc.(map[string]any)["$defs"].(map[string]any)
	for _, name := range []string{"graph", "field", "node", "case", "fail", "interrupt", "send", "retry",
		"agent", "turn", "tool", "handoff", "spawn", "limits", "policy", "rule", "workflow",
		"modelMap", "helper", "output", "turnLimits", "memory", "handing", "modelTool",
		"plan", "step", "accept", "stepRetry", "stepFailure", "proposal"} {
		for key, of := range defs[name].(map[string]any)["properties"].(map[string]any) {
			prop := of.(map[string]any)
			if ref, ok := prop["$ref"].(string); ok && prop["description"] == nil {
				prop = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			}
			assert.NotEmpty(t, prop["description"], "%s: %s", name, key)
		}
	}
}
