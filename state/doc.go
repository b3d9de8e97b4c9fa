// Package state keeps the state of multi-agent graphs in typed fields.
//
// A state is a struct of the user's. Each of its fields has a handle, and the
// handle's kind says what happens when several tasks of one step write the
// field: a [Value] takes one writer, a [Counter] sums, a [List] grows. A wrong
// field or a wrong type does not compile; a field that could not be stored is
// refused when the schema is made.
//
// # Usage
//
// Declare the struct, a handle for each exported field, and the schema:
//
//	type State struct {
//		state.Conversation
//		Draft  string
//		Tokens int
//	}
//
//	var (
//		Conversation = state.ConversationFields(func(s *State) *state.Conversation { return &s.Conversation })
//		Draft        = state.NewValue("draft", func(s *State) *string { return &s.Draft })
//		Tokens       = state.NewCounter("tokens", func(s *State) *int { return &s.Tokens })
//		schema       = state.MustSchema(Conversation, Draft, Tokens)
//	)
//
// An update is a list of writes, and a write is what a handle's method
// returns: Tokens.Add(90), Draft.Set("…"). The verb names the reducer:
//
//	Value     Set                     last value; two writers in one step are a conflict
//	Counter   Add                     summed; a sum that does not fit is an error
//	List      Append                  joined in task order
//	Map       Put, PutAll, Delete     key by key; the later task wins
//	DictField Put, PutAll, Delete     the same for a Dict, a persistent map
//	Messages  Add, Remove             in place of the message with the id, else appended
//	Reduced   Reduce                  a function of the user's
//	Local     Set                     laid over the state for one task by a send
//
// Every handle has Replace too. It gives a field a whole new value past its
// reducer and drops what other tasks of the step write to the field; two tasks
// that replace one field are a conflict. What the replacing task itself writes
// after it counts.
//
// A package that owns a part of the state gives its handles as one argument of
// the schema: see [Group] and [ConversationFields]. [Renamed] lets a field be
// read under names that it had before.
//
// States that have no struct, as those of graph files, are a [Record]: its
// fields are declared at run time by a [RecordField] each, and its writes are
// made by name. It has the same reducers and the same engine.
//
// # Views
//
// What a node gets is a view: a copy of the struct that shares the arrays of
// its lists, its maps and what its pointers point to with the state. The view
// never changes, whatever later steps write. A node must keep two rules:
//
//   - Do not assign to elements or keys of what you got: s.Items[0] = x and
//     s.Meta[k] = v reach the state and other nodes' views. Return a write.
//     Appending is safe: every list ends where its array ends.
//   - Do not change what pointers in the state point to, nor keep pointers,
//     slices or maps that you gave to a write in order to change them later.
//
// A [Dict] cannot be written to at all. [Layout.Digest] before and after a
// node shows whether it kept the rules.
//
// # Concurrency
//
// Handles, schemas, layouts, writes and Dicts are immutable and may be used by
// any number of goroutines. A handle may be part of several schemas, and a
// state type may have several. A [Store] belongs to one goroutine; the states
// it showed may be read by others, and [Layout.Overlay] may be called by
// several at once.
//
// # Storage
//
// States and updates are JSON, coded field by field through the handles; the
// struct's own tags do not matter, those of the types inside do. A state is an
// object of its fields. An update is stored as a list of [field, verb, value],
// which [Schema.DecodeWrites] reads, and shown as {"field": value}, which
// [Schema.DecodeUpdate] takes for an update of each field's usual verb.
//
// What is written comes back as it was, or is refused with its path. Fields of
// type any keep nil, bool, int64, float64, string, []any and map[string]any:
// other integers become int64 when they are written, floats stay floats, also
// without a fraction, and everything else is an error. The difference of nil
// and empty lists and maps is not kept. Reading is strict: unknown fields, keys
// that come twice, null where there is no room for it, text that is not UTF-8
// and nesting beyond 1000 levels are errors that are [ErrValue] or
// [ErrUnknownField].
//
// Values of most types are written by encoding/json, and looked at before and
// after. A type that is written at every step can be an [Encoder]: it writes
// itself and vouches for what it writes, which costs a tenth and less. Its
// elements, entries and values are proved when they are written to a field.
//
// # What is stored of a run
//
// Of each step the engine stores operations: what came of the step's writes,
// behind the reducers, as a list of [field, verb, value] with the verbs "set",
// "replace", "append", "put" and "delete". A List's operations are the elements
// that were added, a Map's the entries that changed; a Counter and a Reduced
// are stored as what they are after the step. So what is stored grows with what
// was written, not with the state, and to load a state needs no reducer: it may
// be another one by then. [Store.AppendOps] writes operations, [Store.Replay]
// applies them to a state that [Store.Load] has read.
//
// A field may be renamed ([Renamed]), and new fields may come, beginning with
// their start values. For other changes a schema has a version, and migrations
// from the older ones: [Schema.Versioned]. States of an older version are read
// without a schema, as a [RawState], and migrated before they are loaded.
// [Layout.ShapeChanges] tells in words what became of the fields.
//
// # For the engine
//
// [Layout], [Store], [Changes], [Change], [RawState] and [Shared] are a schema
// and its states without the state's type. They are for the engine that runs
// graphs; nodes and users' code have no need of them. A step of a run goes:
// Begin; Check with the update of every task; Apply of each in task order;
// Commit. What fails before Commit leaves the state as it was. A subgraph begins
// with what [Shared.In] hands it, tracks what it writes, and hands back the
// changes that [Store.Diff] returns, turned by [Shared.Out]. In another process
// it goes on by Load, Replay, Track and [Store.Recall].
package state
