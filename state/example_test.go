package state_test

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/state"
)

// Article is the state of the examples.
type Article struct {
	state.Conversation
	Draft  string
	Tokens int
	Links  []string
	Grades map[string]int
	Terms  state.Dict[string, string]
	Best   int
	Topic  string
}

var (
	Talk   = state.ConversationFields(func(s *Article) *state.Conversation { return &s.Conversation })
	Draft  = state.NewValue("draft", func(s *Article) *string { return &s.Draft })
	Tokens = state.NewCounter("tokens", func(s *Article) *int { return &s.Tokens })
	Links  = state.NewList("links", func(s *Article) *[]string { return &s.Links })
	Grades = state.NewMap("grades", func(s *Article) *map[string]int { return &s.Grades })
	Terms  = state.NewDict("terms", func(s *Article) *state.Dict[string, string] { return &s.Terms })
	Best   = state.NewReduced("best", state.Reducer[int]{Name: "max", Combine: greater}, func(s *Article) *int { return &s.Best })
	Topic  = state.NewLocal("topic", func(s *Article) *string { return &s.Topic })

	articles = state.MustSchema(Talk, Draft, Tokens, Links, Grades, Terms, Best, Topic)
)

func greater(a, b int) (int, error) { return max(a, b), nil }

func Example() {
	s, err := articles.Apply(Article{}, Draft.Set("Once upon a time"), Tokens.Add(90), Links.Append("a.example"))
	fmt.Println(s.Draft, s.Tokens, s.Links, err)
	// Output: Once upon a time 90 [a.example] <nil>
}

func ExampleValue() {
	_, err := articles.Apply(Article{}, Draft.Set("one"), Draft.Set("two"))
	fmt.Println(errors.Is(err, state.ErrConflict))
	fmt.Println(err)
	// Output:
	// true
	// state: conflicting writes to "draft" by tasks 0 and 0
}

func ExampleCounter() {
	s, _ := articles.Apply(Article{Tokens: 10}, Tokens.Add(5), Tokens.Add(-2))
	fmt.Println(s.Tokens)
	s, _ = articles.Apply(s, Tokens.Replace(0))
	fmt.Println(s.Tokens)
	// Output:
	// 13
	// 0
}

func ExampleList() {
	s, _ := articles.Apply(Article{Links: []string{"a"}}, Links.Append("b", "c"))
	fmt.Println(s.Links)
	s, _ = articles.Apply(s, Links.Replace(nil), Links.Append("d"))
	fmt.Println(s.Links)
	// Output:
	// [a b c]
	// [d]
}

func ExampleMap() {
	s, _ := articles.Apply(Article{}, Grades.Put("style", 2), Grades.PutAll(map[string]int{"facts": 1}))
	s, _ = articles.Apply(s, Grades.Delete("style"))
	fmt.Println(s.Grades)
	// Output: map[facts:1]
}

func ExampleDict() {
	s, _ := articles.Apply(Article{}, Terms.Put("b", "second"), Terms.Put("a", "first"))
	for k, v := range s.Terms.All() {
		fmt.Println(k, v)
	}
	more := s.Terms.With("c", "third")
	fmt.Println(s.Terms.Len(), more.Len())
	// Output:
	// a first
	// b second
	// 2 3
}

func ExampleMessages() {
	hello := state.Text(state.RoleHuman, "hello")
	hello.ID = "1"
	s, _ := articles.Apply(Article{}, Talk.Messages.Add(hello))
	hello.Content = state.Text(state.RoleHuman, "hello, writer").Content
	s, _ = articles.Apply(s, Talk.Messages.Add(hello, state.Text(state.RoleAI, "hi")))
	for _, m := range s.Messages {
		fmt.Println(m.Role, m.Text())
	}
	// Output:
	// human hello, writer
	// ai hi
}

func ExampleReduced() {
	s, _ := articles.Apply(Article{}, Best.Reduce(3), Best.Reduce(7), Best.Reduce(5))
	fmt.Println(s.Best)
	// Output: 7
}

func ExampleLocal() {
	var task Article
	u := state.ChangesOf([]state.Write[Article]{Topic.Set("whales")})
	err := articles.Layout().Overlay(&task, &Article{Draft: "d"}, u.All())
	fmt.Println(task.Draft, task.Topic, err)
	_, err = articles.Apply(Article{}, Topic.Set("whales"))
	fmt.Println(err)
	// Output:
	// d whales <nil>
	// state: field "topic" is local: only a send may write it
}

func ExampleNewSchema() {
	type Small struct {
		A, B int
		C    chan int
	}
	_, err := state.NewSchema(
		state.NewCounter("a", func(s *Small) *int { return &s.A }),
		state.NewValue("c", func(s *Small) *chan int { return &s.C }))
	fmt.Println(err)
	// Output:
	// state: invalid schema: argument 2: field "c": JSON cannot keep a chan int
	// state: invalid schema: Small.B has no handle
}

func ExampleGroup() {
	type Money struct{ Spent, Limit int }
	type State struct{ Money Money }
	spent := state.NewCounter("spent", func(s *State) *int { return &s.Money.Spent })
	limit := state.NewValue("limit", func(s *State) *int { return &s.Money.Limit })
	schema := state.MustSchema(state.Group[State](spent, limit))
	fmt.Println(schema.Fields())
	// Output: [spent limit]
}

func ExampleRenamed() {
	type State struct{ Text string }
	text := state.NewValue("text", func(s *State) *string { return &s.Text })
	schema := state.MustSchema(state.Renamed[State](text, "body"))
	s, err := schema.DecodeState([]byte(`{"body":"stored long ago"}`))
	fmt.Println(s.Text, err)
	// Output: stored long ago <nil>
}

func ExampleSchema_EncodeState() {
	b, err := articles.EncodeState(Article{Draft: "d", Links: []string{"a"}})
	fmt.Println(string(b), err)
	s, err := articles.DecodeState(b)
	fmt.Println(s.Draft, s.Links, err)
	// Output:
	// {"messages":[],"active_agent":"","draft":"d","tokens":0,"links":["a"],"grades":{},"terms":{},"best":0} <nil>
	// d [a] <nil>
}

func ExampleSchema_EncodeWrites() {
	b, _ := articles.EncodeWrites(Tokens.Add(5), Links.Append("a"), Grades.Delete("x"))
	fmt.Println(string(b))
	writes, _ := articles.DecodeWrites(b)
	s, _ := articles.Apply(Article{Tokens: 1}, writes...)
	fmt.Println(s.Tokens, s.Links)
	// Output:
	// [["tokens","add",5],["links","append",["a"]],["grades","delete",["x"]]]
	// 6 [a]
}

func ExampleSchema_DecodeUpdate() {
	writes, err := articles.DecodeUpdate([]byte(`{"tokens": 5, "links": ["a"], "messages": "hello"}`))
	fmt.Println(len(writes), err)
	_, err = articles.DecodeUpdate([]byte(`{"tokens": "five"}`))
	fmt.Println(errors.Is(err, state.ErrValue))
	// Output:
	// 3 <nil>
	// true
}

func ExampleNewRecordSchema() {
	schema, _ := state.NewRecordSchema(
		state.RecordField{Name: "log", Reduce: state.ReduceAppend, Type: "string"},
		state.RecordField{Name: "n", Reduce: state.ReduceSum, Default: 1})
	first, _ := schema.Write("log", "began")
	second, _ := schema.Write("n", 2)
	r, _ := schema.Apply(state.Record{}, first, second)
	n, _ := r.Get("n")
	fmt.Println(n)
	_, err := schema.Write("n", "two")
	fmt.Println(err)
	// Output:
	// 3
	// state: field "n": unfit value: want int, got string "two"
}

func ExampleStore() {
	store := articles.Layout().NewStore(&Article{})
	tasks := [][]state.Write[Article]{{Links.Append("a"), Tokens.Add(1)}, {Links.Append("b"), Tokens.Add(1)}}
	store.Begin()
	for i, writes := range tasks {
		u := state.ChangesOf(writes)
		if err := store.Check(i, &u); err != nil {
			fmt.Println(err)
			return
		}
	}
	for i, writes := range tasks {
		u := state.ChangesOf(writes)
		if err := store.Apply(i, &u); err != nil {
			fmt.Println(err)
			return
		}
	}
	store.Commit()
	s := store.State().(*Article)
	fmt.Println(s.Links, s.Tokens)
	// Output: [a b] 2
}
