package anthropic_test

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/state"
)

func Example() {
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{ // instead of Anthropic
		{Reasoning: "Nobody told me.", Text: "I look.", Calls: []llmstub.Call{{Name: "weather", Args: `{"city":"Oslo"}`}}},
	}})
	defer srv.Close()

	m, err := anthropic.New(anthropic.Config{Name: "claude-sonnet-4-5", BaseURL: srv.URL(), Key: "any", Thinking: 2048})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Collect(m.Stream(context.Background(), &model.Request{
		Messages: []state.Message{state.Text(state.RoleHuman, "What is the weather in Oslo?")},
		Tools:    []model.Tool{{Name: "weather", Description: "The weather of a city."}},
	}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range answer.Message.Content {
		fmt.Printf("%s: %s\n", p.Type, p.Text)
	}
	fmt.Println(answer.Stop, answer.Message.ToolCalls[0].Name, string(answer.Message.ToolCalls[0].Args))
	// Output:
	// reasoning: Nobody told me.
	// text: I look.
	// tool_calls weather {"city":"Oslo"}
}
