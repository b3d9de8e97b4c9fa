package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/nodes/model/internal/wiretest"
	"github.com/graphrun/graphrun/nodes/transcript"
)

// FuzzWhatAProjectionSendsIsTaken sends projections of any conversation to a
// server that refuses what Anthropic refuses.
func FuzzWhatAProjectionSendsIsTaken(f *testing.F) {
	wiretest.Seed(f.Add)
	srv := llmstub.New(&llmstub.Script{Keep: 1, Replies: []llmstub.Reply{{Text: "Well.", Times: -1}}})
	f.Cleanup(srv.Close)
	models := map[string]model.Model{}
	for name, thinking := range map[string]int{"plain": 0, "thinking": 2000} {
		models[name] = at(f, srv, func(c *anthropic.Config) { c.Thinking = thinking })
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		conversation := wiretest.Conversation(data)
		for name, m := range models {
			messages, _ := transcript.Project(conversation, model.InfoOf(m).Profile)
			_, _, err := collect(t.Context(), m, &model.Request{Messages: messages, Tools: []model.Tool{{Name: "look"}}})
			sent, _ := json.MarshalIndent(messages, "", " ")
			require.NoError(t, err, "%s: %s", name, sent)
		}
	})
}
