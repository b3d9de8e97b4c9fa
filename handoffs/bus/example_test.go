package bus_test

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/handoffs/bus"
)

func ExampleLocal() {
	ctx := context.Background()
	b := bus.NewLocal(nil)
	alerts, err := b.Subscribe(ctx, bus.Filter{Types: []string{"security.alert"}})
	if err != nil {
		panic(err)
	}
	alert := bus.Message{ID: "a-1", Type: "security.alert", Source: "scanner", Payload: map[string]any{"level": "high"}}
	for range 2 { // the second one is a duplicate
		if err := b.Publish(ctx, alert); err != nil {
			panic(err)
		}
	}
	b.Close()
	for m := range alerts {
		fmt.Println(m.Source, m.Payload["level"])
	}
	// Output: scanner high
}
