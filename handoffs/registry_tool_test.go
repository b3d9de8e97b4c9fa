package handoffs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// specialists are a generalist's team.
func specialists() *Registry {
	return MustRegistry(
		Profile{ID: "generalist", Hidden: true},
		Profile{ID: "test-specialist", Name: "Test Specialist", Specialization: "testing", Description: "Runs tests", Examples: []string{"run the unit tests"}, Capabilities: []string{"shell", "files"}},
		Profile{ID: "deploy", Specialization: "deployment", Capabilities: []string{"shell", "git"}},
		Profile{ID: "secret", Hidden: true},
	)
}

func compiledSchema(t *testing.T, spec ToolSpec) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("tool.json", doc))
	s, err := c.Compile("tool.json")
	require.NoError(t, err)
	return s
}

// S4-12, S4-13
func TestTool(t *testing.T) {
	t.Parallel()
	spec, ok := Tool(&Policy{Registry: specialists()}, nil, Log{}, "generalist", nil, registryNow, nil)
	require.True(t, ok)
	require.Equal(t, "handoff_to_specialist", spec.Name)
	require.Equal(t, []string{"test-specialist", "deploy"}, spec.Targets)
	require.Equal(t, []string{"coordination", "handoff", "delegation"}, spec.Tags)
	require.Equal(t, toolWhen+"\n\n"+toolContext+`

Specialists:
- test-specialist: Test Specialist (testing): Runs tests, run the unit tests; capabilities: shell, files
- deploy (deployment); capabilities: shell, git
`, spec.Description)

	s := compiledSchema(t, spec)
	for arguments, valid := range map[string]bool{
		`{"targetAgentId":"deploy","explanation":"e","task":"t"}`:                                                      true,
		`{"targetAgentId":"deploy","explanation":"e","task":"t","payload":{"a":1},"returnControl":true}`:               true,
		`{"targetAgentId":"deploy","explanation":"e","task":"t","requiredCapabilities":["git"],"reason":"delegation"}`: true,
		`{"targetAgentId":"secret","explanation":"e","task":"t"}`:                                                      false,
		`{"targetAgentId":"deploy","explanation":"","task":"t"}`:                                                       false,
		`{"targetAgentId":"deploy","explanation":"e"}`:                                                                 false,
		`{"targetAgentId":"deploy","explanation":"e","task":"t","actorId":"user"}`:                                     false,
		`{"targetAgentId":"deploy","explanation":"e","task":"t","reason":"user_request"}`:                              false,
		`{"targetAgentId":"deploy","explanation":"e","task":"t","requiredCapabilities":["ssh"]}`:                       false,
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(arguments)))
		require.NoError(t, err)
		require.Equal(t, valid, s.Validate(doc) == nil, arguments)
	}
}

func TestToolIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	p := &Policy{Registry: specialists()}
	first, _ := Tool(p, nil, Log{}, "generalist", nil, registryNow, nil)
	for range 20 {
		again, _ := Tool(p, nil, Log{}, "generalist", nil, registryNow, nil)
		require.Equal(t, first, again)
	}
}

func TestToolWithoutTargets(t *testing.T) {
	t.Parallel()
	_, ok := Tool(&Policy{Registry: specialists(), Disabled: true}, nil, Log{}, "generalist", nil, registryNow, nil)
	require.False(t, ok)
	only := &Policy{Registry: MustRegistry(Profile{ID: "a"}, Profile{ID: "secret", Hidden: true})}
	_, ok = Tool(only, nil, Log{}, "a", nil, registryNow, nil)
	require.False(t, ok)
	require.Equal(t, []string{"secret"}, AllowedTargets(only, nil, Log{}, "a", nil, registryNow), "hidden from models, not forbidden")
}

func TestToolTellsHowAgentsAreHandedTo(t *testing.T) {
	t.Parallel()
	tests := []string{"test-specialist"}
	deploy := []string{"deploy"}
	type answer struct {
		Properties map[string]struct{ Enum []any }
		Required   []string
	}
	look := func(edges ...Edge) (string, answer) {
		spec, ok := Tool(&Policy{Registry: specialists(), Edges: edges, Need: []string{"intent"}}, nil, Log{}, "generalist", nil, registryNow, &ToolConfig{Name: "n", When: "When you like."})
		require.True(t, ok)
		require.Equal(t, "n", spec.Name)
		require.Contains(t, spec.Description, "When you like.\n\n"+toolContext)
		var a answer
		require.NoError(t, json.Unmarshal(spec.Schema, &a))
		require.Contains(t, a.Required, "userIntent")
		return spec.Description, a
	}

	text, a := look(Edge{To: tests, Kinds: []Kind{Call}}, Edge{To: deploy, Kinds: []Kind{Transfer}, Payload: []PayloadField{{Key: "tag", Type: "string"}, {Key: "dry", Type: "bool", Optional: true}, {Key: "to", Enum: []any{"dev", "prod"}}}})
	require.Contains(t, text, "shell, files; only with returnControl true\n")
	require.Contains(t, text, "; payload: tag (string), dry (bool, may be left out), to (any, one of [dev prod]); only with returnControl false\n")
	require.NotContains(t, a.Required, "returnControl")
	require.Nil(t, a.Properties["returnControl"].Enum)
	require.NotContains(t, a.Required, "reason")

	text, a = look(Edge{Kinds: []Kind{Call}, Reasons: []Reason{"audit", Delegation}})
	require.NotContains(t, text, "returnControl")
	require.Contains(t, a.Required, "returnControl")
	require.Equal(t, []any{true}, a.Properties["returnControl"].Enum)
	require.Contains(t, a.Required, "reason", "every edge asks for one")
	require.Equal(t, []any{"audit", "delegation"}, a.Properties["reason"].Enum)

	_, a = look(Edge{Kinds: []Kind{Transfer}}, Edge{Kinds: []Kind{Transfer}, Reasons: []Reason{"audit"}}, Edge{From: deploy, Reasons: []Reason{"other"}})
	require.NotContains(t, a.Properties, "returnControl")
	require.Equal(t, []any{"audit", "capability_match", "delegation", "clarification", "error_recovery"}, a.Properties["reason"].Enum)
}

// S4-14
func TestToolCommand(t *testing.T) {
	t.Parallel()
	spec, _ := Tool(&Policy{Registry: specialists()}, nil, Log{}, "generalist", nil, registryNow, nil)
	c, err := spec.Command([]byte(`{"targetAgentId":"Deploy","explanation":"e","task":"t","payload":{"n":1},"returnControl":true,"reason":"delegation"}`))
	require.NoError(t, err)
	require.Equal(t, Command{Type: CommandType, Target: "Deploy", Explanation: "e", Task: "t", Payload: map[string]any{"n": int64(1)}, ReturnControl: true, Reason: Delegation}, c)

	for arguments, parts := range map[string][]string{
		`{"task":" ","actor":"user","explanation":null,"kind":"spawn","payload":[1]}`: {
			"actor: the key is unknown", "kind: the key is unknown", "targetAgentId: it is missing", "explanation: it is missing", "task: it is missing", "payload"},
		`{"type":"handoff"}`: {"type: the key is unknown"},
		`[]`:                 {"the arguments are no JSON object"},
		`null`:               {"the arguments are no JSON object"},
		`{`:                  {"the arguments are no JSON object"},
		``:                   {"the arguments are no JSON object"},
	} {
		_, err := spec.Command([]byte(arguments))
		var wrong *CommandError
		require.ErrorAs(t, err, &wrong, arguments)
		require.ErrorIs(t, err, CodeSyntax)
		for _, part := range parts {
			require.ErrorContains(t, err, part, arguments)
		}
	}
	_, err = (&ToolSpec{}).Command([]byte(`{}`))
	require.ErrorContains(t, err, "the tool's schema")
}

func BenchmarkTool(b *testing.B) {
	var ps []Profile
	for i := range 20 {
		ps = append(ps, Profile{ID: fmt.Sprint("agent-", i), Description: "does work", Capabilities: []string{"work"}})
	}
	p := &Policy{Registry: MustRegistry(ps...), Limits: Limits{Handoffs: 20}}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Tool(p, nil, Log{}, "agent-0", nil, registryNow, nil); !ok {
			b.Fatal("no tool")
		}
	}
}
