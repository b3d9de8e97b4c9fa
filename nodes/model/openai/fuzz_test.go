package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wiretest"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/nodes/transcript"
)

// FuzzWhatAProjectionSendsIsTaken sends projections of any conversation to a
// server that refuses what OpenAI refuses.
func FuzzWhatAProjectionSendsIsTaken(f *testing.F) {
	wiretest.Seed(f.Add)
	srv := llmstub.New(&llmstub.Script{Keep: 1, Replies: []llmstub.Reply{{Text: "Well.", Times: -1}}})
	f.Cleanup(srv.Close)
	models := map[string]model.Model{}
	for name, profile := range map[string]*transcript.Profile{"OpenAI": transcript.OpenAI(), "compatible": nil, "strictest": {}} {
		models[name] = at(f, srv, func(c *openai.Config) { c.Profile = profile })
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
