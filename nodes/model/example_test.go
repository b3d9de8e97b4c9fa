package model_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

func ExampleRetry() {
	calls := 0
	m := model.Retry{NoJitter: true, Initial: time.Millisecond, Model: model.Func(func(context.Context, *model.Request) (*model.Response, error) {
		if calls++; calls == 1 {
			return nil, &model.Error{Class: model.Overloaded, Provider: "acme", Status: 503}
		}
		return &model.Response{Message: state.Text(state.RoleAI, "Hello.")}, nil
	})}
	for c, err := range m.Stream(context.Background(), &model.Request{}) {
		switch c := c.(type) {
		case model.Again:
			fmt.Printf("attempt %d: %v\n", c.Attempt, c.Err)
		case model.Text:
			fmt.Println(c.Text, err)
		}
	}
	// Output:
	// attempt 2: model acme: overloaded (HTTP 503)
	// Hello. <nil>
}

func ExampleLimit() {
	limiter := model.NewLimiter(model.LimiterConfig{Requests: 600, Tokens: 100_000, Concurrent: 4})
	m := model.Limit{Limiter: limiter, Model: model.Func(func(context.Context, *model.Request) (*model.Response, error) {
		return &model.Response{Message: state.Text(state.RoleAI, "Hello."), Usage: model.Usage{Input: 9, Output: 2}}, nil
	})}
	answer, err := model.Collect(m.Stream(context.Background(), &model.Request{}), nil)
	fmt.Println(answer.Message.Text(), answer.Usage.Total(), err)
	// Output: Hello. 11 <nil>
}

func ExampleDeadline() {
	m := model.Deadline{First: time.Millisecond, Model: model.Func(func(ctx context.Context, _ *model.Request) (*model.Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})}
	_, err := model.Collect(m.Stream(context.Background(), &model.Request{}), nil)
	fmt.Println(err)
	// Output: model: timed out: the first chunk did not come within 1ms
}

func ExampleRecorder() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	question := &model.Request{Messages: []state.Message{state.Text(state.RoleHuman, "Hello?")}}

	recorder := &model.Recorder{Dir: dir, Model: model.Func(func(context.Context, *model.Request) (*model.Response, error) {
		return &model.Response{Message: state.Text(state.RoleAI, "Hello.")}, nil
	})}
	_, _ = model.Collect(recorder.Stream(context.Background(), question), nil)

	replayer := &model.Replayer{Dir: dir}
	answer, err := model.Collect(replayer.Stream(context.Background(), question), nil)
	fmt.Println(answer.Message.Text(), err, replayer.Unused())
	// Output: Hello. <nil> []
}
