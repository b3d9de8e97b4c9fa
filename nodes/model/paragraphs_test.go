package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

func TestParagraphs(t *testing.T) {
	t.Parallel()
	m := state.Message{Content: []state.Part{{Type: "text", Text: "Be kind."}, {Type: "image", URL: "u"}, {Type: "text"}, {Type: "text", Text: "Be brief."}}}
	require.Equal(t, "Be kind.\n\nBe brief.", model.Paragraphs(&m))
	require.Empty(t, model.Paragraphs(&state.Message{}))
	one := state.Text(state.RoleHuman, " as it is\n")
	require.Equal(t, " as it is\n", model.Paragraphs(&one))
}
