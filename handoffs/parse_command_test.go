package handoffs

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestParseCommandIsStrict is S4-14 and the hostile part of X-17.
func TestParseCommandIsStrict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":            {``, []string{"at byte 0: want a value, got the end"}},
		"spaces":             {"  ", []string{"want a value, got the end"}},
		"null":               {`null`, []string{"want a handoff command, which is a map, got null null"}},
		"list":               {`[1]`, []string{"want a handoff command, which is a map, got list [1]"}},
		"empty":              {`{}`, []string{`type: want "handoff", got ""`}},
		"other type":         {`{"type":"x"}`, []string{`type: want "handoff", got "x"`}},
		"null type":          {`{"type":null}`, []string{"type: want string, got null null", `type: want "handoff", got ""`}},
		"null target":        {`{"type":"handoff","targetAgentId":null}`, []string{"targetAgentId: want string, got null null"}},
		"target number":      {`{"type":"handoff","targetAgentId":5}`, []string{"targetAgentId: want string, got int 5"}},
		"unknown and double": {`{"type":"handoff","target":"a","task":"x","task":"y"}`, []string{"target: the key is unknown", "task: the key comes twice"}},
		"case":               {`{"type":"handoff","Task":"x"}`, []string{"Task: the key is unknown"}},
		"escaped double":     {`{"type":"handoff","task":"x","\u0074ask":"y"}`, []string{"task: the key comes twice"}},
		"double in payload":  {`{"type":"handoff","payload":{"a":{"b":1,"b":2}}}`, []string{"payload.a.b: the key comes twice"}},
		"types": {`{"type":"handoff","task":1,"payload":[1],"returnControl":"yes","requiredCapabilities":"a","join":5,"until":{"count":1.5},"result":{"status":"completed","missing":[1]}}`,
			[]string{"task: want string, got int 1", "payload: want map, got list [1]", `returnControl: want bool, got string "yes"`, `requiredCapabilities: want list, got string "a"`,
				"join: want map, got int 5", "until.count: want int, got float 1.5", "result.missing[0]: want string, got int 1"}},
		"null in a list":   {`{"type":"handoff","requiredCapabilities":["a",null]}`, []string{"requiredCapabilities[1]: want string, got null null"}},
		"branch":           {`{"type":"handoff","branches":[{},null,{"task":1}]}`, []string{"branches[1]: want map, got null null", "branches[2].task: want string, got int 1"}},
		"words":            {`{"type":"handoff","kind":"teleport","priority":"top","actor":"god","result":{"status":"well"}}`, []string{"kind: want one of transfer, call,", `got "teleport"`, "priority: want one of urgent, high, normal, low", "actor: want one of agent,", "result.status: want one of completed,"}},
		"integer too big":  {`{"type":"handoff","payload":{"n":9223372036854775808},"until":{"count":99999999999999999999}}`, []string{"payload.n: the whole number 9223372036854775808 does not fit 64 bits", "until.count: 99999999999999999999 does not fit"}},
		"float too big":    {`{"type":"handoff","payload":{"n":1e999}}`, []string{"payload.n: the number 1e999 is out of range"}},
		"utf-8":            {"{\"type\":\"handoff\",\"task\":\"\xff\",\"payload\":{\"a\\n\xc3\":1,\"b\":\"\\n\xc3\"}}", []string{"task: the text is not valid UTF-8", "payload: the text", "payload.b: the text"}},
		"half a surrogate": {`{"type":"handoff","task":"\ud800","intent":"\udc00\ud800"}`, []string{`task: \ud800 is half of a surrogate pair`}},
		"control":          {"{\"type\":\"handoff\",\"task\":\"a\x01\"}", []string{"task: at byte 27: want a text without control characters"}},
		"control 2":        {"{\"type\":\"handoff\",\"task\":\"\\na\nb\"}", []string{"want a text without control characters"}},
		"escape":           {`{"type":"handoff","task":"\x"}`, []string{`task: at byte 26: want an escape, got \x"}`}},
		"hex":              {`{"type":"handoff","task":"\u12G4"}`, []string{`want four hexadecimal digits`}},
		"open text":        {`{"type":"handoff","task":"abc`, []string{"want the end of a text, got the end"}},
		"open text 2":      {`{"type":"handoff","task":"abc\n`, []string{"want the end of a text, got the end"}},
		"open escape":      {`{"type":"handoff","task":"abc\`, []string{"want an escape"}},
		"open object":      {`{"type":"handoff"`, []string{"want a comma or }, got the end"}},
		"open list":        {`{"type":"handoff","payload":{"a":[1`, []string{"payload.a: at byte 35: want a comma or ], got the end"}},
		"trailing comma":   {`{"type":"handoff",}`, []string{"want a key, got }"}},
		"no colon":         {`{"type" "handoff"}`, []string{"type: at byte 8: want a colon"}},
		"no value":         {`{"type":"handoff","payload":{"a":}}`, []string{"payload.a: at byte 33: want a value, got }}"}},
		"no word":          {`{"type":"handoff","payload":{"a":nul}}`, []string{"want a value, got nul}}"}},
		"number 01":        {`{"type":"handoff","payload":{"a":01}}`, []string{"want a value, got 01}}"}},
		"number 1.":        {`{"type":"handoff","payload":{"a":1.}}`, []string{"want a value, got 1.}}"}},
		"number 1e":        {`{"type":"handoff","payload":{"a":1e+}}`, []string{"want a value, got 1e+}}"}},
		"number -":         {`{"type":"handoff","payload":{"a":-}}`, []string{"want a value, got -}}"}},
		"rest":             {`{"type":"handoff"} {}`, []string{"at byte 19: want the end, got {}"}},
		"zero byte behind": {"{\"type\":\"handoff\"}\x00", []string{"at byte 18: want the end"}},
	} {
		c, err := ParseCommand([]byte(test.in), 0)
		require.ErrorIs(t, err, CodeSyntax, name)
		require.Equal(t, Command{}, c, name)
		for _, want := range test.want {
			require.ErrorContains(t, err, want, name)
		}
	}
}

func TestParseCommandReads(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Command{
		"\t{ \"type\" : \"handoff\" , \"targetAgentId\" : \"a\" }\r\n":                                                                         {Type: "handoff", Target: "a"},
		`{"type":"handoff","task":"\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00x"}`:                                                                     {Type: "handoff", Task: "\"\\/\b\f\n\r\téé😀x"},
		`{"type":"handoff","task":null,"payload":null,"result":null,"until":null,"join":null}`:                                                 {Type: "handoff"},
		`{"type":"handoff","kind":null,"returnControl":null,"branches":null,"usage":null,"requiredCapabilities":null,"budget":{"turns":null}}`: {Type: "handoff"},
		`{"type":"handoff","payload":{},"requiredCapabilities":[],"branches":[]}`:                                                              {Type: "handoff"},
		`{"type":"handoff","result":{},"until":{}}`:                                                                                            {Type: "handoff", Result: &Outcome{}, Until: &Until{}},
		`{"type":"handoff","payload":{"a":[ ],"b":{ },"c":1e2,"d":-0,"e":[1,[true,false,null]],"":""}}`:                                        {Type: "handoff", Payload: map[string]any{"a": []any{}, "b": map[string]any{}, "c": 100.0, "d": int64(0), "e": []any{int64(1), []any{true, false, nil}}, "": ""}},
	} {
		c, err := ParseCommand([]byte(in), 0)
		require.NoError(t, err, in)
		require.Equal(t, want, c, in)
	}
}

func TestParseCommandBounds(t *testing.T) {
	t.Parallel()
	command := func(payload string) []byte { return []byte(`{"type":"handoff","payload":` + payload + `}`) }
	nested := func(n int) []byte {
		return command(`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	big := command(`{"a":"` + strings.Repeat("x", 10<<20) + `"}`)
	_, err := ParseCommand(big, 0)
	require.ErrorIs(t, err, CodeSyntax)
	require.ErrorContains(t, err, "it has 10485797 bytes, at most 1048576 are allowed")
	c, err := ParseCommand(big, -1)
	require.NoError(t, err)
	require.Len(t, c.Payload["a"], 10<<20)
	_, err = ParseCommand(big, len(big))
	require.NoError(t, err)
	_, err = ParseCommand(big, len(big)-1)
	require.Error(t, err)

	c, err = ParseCommand(nested(98), 0)
	require.NoError(t, err)
	data, err := c.Encode()
	require.NoError(t, err)
	require.Equal(t, string(nested(98)), string(bytes.Replace(data, []byte(`"targetAgentId":"",`), nil, 1)))
	for _, n := range []int{99, 1000, 100_000, 400_000} {
		_, err = ParseCommand(nested(n), 0)
		require.ErrorContains(t, err, "nested deeper than 100 levels", n)
		require.ErrorContains(t, err, "payload.a[0][0]", n)
		require.Less(t, len(err.Error()), 500)
	}
	_, err = ParseCommand(command(`{"a":`+strings.Repeat(`{"a":`, 100_000)), 0)
	require.ErrorContains(t, err, "nested deeper")

	many := command("{" + strings.Repeat(`"a":1,`, 100_000) + `"b":2}`)
	_, err = ParseCommand(many, 0)
	var e *CommandError
	require.True(t, errors.As(err, &e))
	require.Len(t, e.Problems, 21)
	require.Equal(t, "and more", e.Problems[20])
}

// TestHostilePayloadsStayInert is X-17: what looks like code is text, and
// comes back byte for byte.
func TestHostilePayloadsStayInert(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"'; DROP TABLE agent_handoffs; --", `" OR ""="`, "{{.Secret}} ${jndi:ldap://x} {target} <script>alert(1)</script>", "%s%n%x", "a\x00b\x1b[31m\x7f\r\n\t",
		"\u202eevil\u2066", "\u2028\u2029", "\U0010ffff\ufffd", `\u0000\"`, strings.Repeat("\\", 99), "../../etc/passwd", "__proto__",
	} {
		c := NewCommand(text, Reason(text), text)
		c.Task, c.Payload = text, map[string]any{text: text, "list": []any{text}}
		data, err := c.Encode()
		require.NoError(t, err, text)
		back, err := ParseCommand(data, 0)
		require.NoError(t, err, text)
		require.Equal(t, c, back, text)
		again, err := back.Encode()
		require.NoError(t, err, text)
		require.Equal(t, string(data), string(again))
	}
}

// TestEveryWordIsRead finds constants that ParseCommand does not know.
func TestEveryWordIsRead(t *testing.T) {
	t.Parallel()
	for typ, key := range map[string]string{"Kind": "kind", "Actor": "actor", "Priority": "priority"} {
		words := constantsOf(t, "command.go", typ)
		require.NotEmpty(t, words, typ)
		for _, word := range words {
			_, err := ParseCommand([]byte(`{"type":"handoff","`+key+`":"`+word+`"}`), 0)
			require.NoError(t, err)
		}
	}
}

// constantsOf returns the values of a file's text constants of a type.
func constantsOf(t *testing.T, file, typ string) (values []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typ {
			for _, v := range spec.Values {
				text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				values = append(values, text)
			}
		}
		return true
	})
	return values
}

func FuzzParseCommand(f *testing.F) {
	c := fullCommand()
	data, err := c.Encode()
	require.NoError(f, err)
	f.Add([]byte(data))
	f.Add([]byte(`{"type":"handoff","targetAgentId":"a","payload":{"a":[1.0,-2,null,"\ud83d\ude00"]}}`))
	f.Add([]byte(`{"type":"handoff","task":"` + "\xff" + `\u0000"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCommand(data, 0)
		if err != nil {
			require.ErrorIs(t, err, CodeSyntax)
			return
		}
		require.True(t, json.Valid(data))
		v, err := state.ParseAny(data)
		require.NoError(t, err)
		if p, ok := v.(map[string]any)["payload"].(map[string]any); ok && len(p) > 0 {
			require.Equal(t, p, c.Payload)
		}
		out, err := c.Encode()
		require.NoError(t, err)
		back, err := ParseCommand(out, -1)
		require.NoError(t, err)
		require.Equal(t, c, back)
	})
}
