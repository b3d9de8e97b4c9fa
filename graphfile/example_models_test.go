package graphfile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// A program makes the models that a file names; package openai has some for a key
// that the program knows.
func ExampleOptions_models() {
	const file = `
state: {messages: {reduce: messages}}
nodes:
  guide: {agent: {model: "mine:echo", instructions: You are brief.}}
edges: [START -> guide]`
	echo := model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
		last := r.Messages[len(r.Messages)-1]
		return &model.Response{Message: state.Text(state.RoleAI, "you said: "+last.Text()), Stop: model.StopEnd}, nil
	})
	f, err := graphfile.Parse("guide.yaml", []byte(file), &graphfile.Options{
		Providers: []string{"mine"},
		Models: func(s graphfile.ModelSpec) (model.Model, error) {
			fmt.Println("made:", s.Text())
			return echo, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	input, err := f.Input([]byte(`{"messages": [{"type": "human", "content": "hello"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	out, err := f.Graph().Invoke(context.Background(), input, nil)
	if err != nil {
		log.Fatal(err)
	}
	messages, _ := out.State.Get("messages")
	fmt.Println(messages.([]any)[1].(map[string]any)["content"])
	// Output:
	// made: mine:echo
	// you said: hello
}
