package openai_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
)

func TestSmoke(t *testing.T) {
	srv := serve(t, llmstub.Reply{Text: "Hello there.", Reasoning: "Let me think."}, llmstub.Reply{Calls: []llmstub.Call{{Name: "look", Args: `{"a":1}`}, {Name: "look", Args: `{"b":1}`}}})
	m := at(t, srv, nil)
	r := question("Hi")
	r.Tools = []model.Tool{{Name: "look"}}
	a, cs, err := collect(t.Context(), m, r)
	require.NoError(t, err)
	fmt.Printf("%+v\n%+v\n", a, cs)
	a, cs, err = collect(t.Context(), m, r)
	require.NoError(t, err)
	fmt.Printf("%+v\n%+v\n", a, cs)
	fmt.Println(string(srv.Requests()[0].Body), srv.Requests()[0].Header)
}
