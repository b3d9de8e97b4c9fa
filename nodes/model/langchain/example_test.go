package langchain_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/state"
)

func Example() {
	server := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "Four.", Usage: llmstub.Usage{Input: 12, Output: 2}}}})
	defer server.Close()

	key := "sk-…"
	llm, err := openai.New(openai.WithBaseURL(server.URL()+"/v1"), openai.WithToken(key))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := langchain.New(langchain.Config{Model: llm, Name: "gpt-4.1", Secrets: []string{key}})
	if err != nil {
		fmt.Println(err)
		return
	}
	question := &model.Request{Messages: []state.Message{state.Text(state.RoleHuman, "Two and two?")}}
	answer, err := model.Collect(m.Stream(context.Background(), question), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Message.Text(), answer.Usage.Total(), "tokens")

	question.TopP = new(0.9)
	_, err = model.Collect(m.Stream(context.Background(), question), nil)
	fmt.Println(err)
	// Output:
	// Four. 14 tokens
	// model openai gpt-4.1: unsupported: with langchaingo's client (openai) top p would be lost: use the package openai
}
