package source_test

import (
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

func ExampleParse() {
	_, err := source.Parse("flow.yaml", []byte("nodes:\n  a: {goto: b}\n  a: {goto: ${next}}\n"), source.Limits{})
	fmt.Println(err)
	// Output:
	// flow.yaml:3:14: error: expected ',' or '}', found '{'
	//     3 |   a: {goto: ${next}}
	//       |              ^
	//       = inside brackets, text with ${…} needs quotes: "${…}"
}

func ExampleReport_Fields() {
	text := "worker:\n  timeout: 2 s\n  retri: {max_attempts: 3}\n"
	file, err := source.Parse("flow.yaml", []byte(text), source.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report := file.Report()
	for _, e := range report.Entries(file.Root, "the nodes") {
		node := report.Fields(e.Value, "a node")
		node.Duration("timeout", 0, time.Hour)
		retry := node.Fields("retry", "a retry policy")
		retry.Int("max_attempts", 1, 100)
		retry.Done()
		node.Done()
	}
	fmt.Println(report.Err())
	// Output:
	// flow.yaml:2:12: error: "timeout": "2 s" is not a duration
	//     2 |   timeout: 2 s
	//       |            ^
	//       = write it like "500ms", "2s" or "1h30m"
	// flow.yaml:3:3: error: unknown key "retri" in a node
	//     3 |   retri: {max_attempts: 3}
	//       |   ^
	//       = did you mean "retry"?
}
