package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/state"
)

func Example() {
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "It rains in Oslo."}}}) // instead of a server
	defer srv.Close()

	m, err := openai.New(openai.Config{Name: "qwen3", BaseURL: srv.URL() + "/v1", Key: "any"})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &model.Request{Messages: []state.Message{
		state.Text(state.RoleSystem, "Be brief."),
		state.Text(state.RoleHuman, "What is the weather in Oslo?"),
	}}
	for chunk, err := range m.Stream(context.Background(), r) {
		switch c := chunk.(type) {
		case nil:
			fmt.Println(err)
		case model.Text:
			fmt.Printf("%q ", c.Text)
		case model.End:
			fmt.Println(c.Stop)
		}
	}
	// Output: "It " "rains " "in " "Oslo." stop
}

func Example_tools() {
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{
		{Calls: []llmstub.Call{{Name: "weather", Args: `{"city":"Oslo"}`}, {Name: "weather", Args: `{"city":"Rome"}`}}},
	}})
	defer srv.Close()

	m, _ := openai.New(openai.Config{Name: "qwen3", BaseURL: srv.URL() + "/v1", Key: "any"})
	answer, err := model.Collect(m.Stream(context.Background(), &model.Request{
		Messages: []state.Message{state.Text(state.RoleHuman, "Oslo or Rome?")},
		Tools: []model.Tool{{Name: "weather", Description: "The weather of a city.",
			Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
	}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range answer.Message.ToolCalls {
		fmt.Println(c.ID, c.Name, string(c.Args))
	}
	// Output:
	// call_1_0 weather {"city":"Oslo"}
	// call_1_1 weather {"city":"Rome"}
}

func Example_errors() {
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Fault: llmstub.Fault{Status: 429, RetryAfter: "20"}}}})
	defer srv.Close()

	m, _ := openai.New(openai.Config{Name: "qwen3", BaseURL: srv.URL() + "/v1", Key: "any", Provider: "local"})
	_, err := model.Collect(m.Stream(context.Background(), &model.Request{
		Messages: []state.Message{state.Text(state.RoleHuman, "Hi")},
	}), nil)
	fmt.Println(errors.Is(err, model.RateLimited), model.Retryable(err))
	fmt.Println(err)
	// Output:
	// true true
	// model local qwen3: rate limited (HTTP 429): Rate limit reached for qwen3 on requests per min (RPM): Limit 3, Used 3, Requested 1.; it asks to wait 20s
}
