package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// coin writes itself; other packages' doings are seen by its mark. A negative
// one cannot be stored, 13 is not what it seems.
type coin struct {
	Cents int            `json:"cents"`
	Mark  string         `json:"mark,omitempty"`
	More  map[string]any `json:"more,omitempty"`
}

var errDebt = errors.New("cents: a debt is no coin")

func (c coin) CheckJSON() error {
	switch {
	case c.Cents < 0:
		return errDebt
	case c.Cents == 13:
		panic("unlucky")
	}
	return nil
}

func (c coin) AppendJSON(dst []byte) ([]byte, error) {
	if err := c.CheckJSON(); err != nil {
		return dst, err
	}
	dst = append(append(dst, `{"mark":"own","cents":`...), strconv.Itoa(c.Cents)...)
	return append(dst, '}'), nil
}

// token is a coin whose methods need a pointer.
type token struct {
	Cents int    `json:"cents"`
	Mark  string `json:"mark,omitempty"`
}

func (c *token) CheckJSON() error { return coin{Cents: c.Cents}.CheckJSON() }

func (c *token) AppendJSON(dst []byte) ([]byte, error) { return coin{Cents: c.Cents}.AppendJSON(dst) }

// purse has a field of each kind for values that write themselves.
type purse struct {
	One    coin
	Token  token
	Coins  []coin
	Tokens []token
	Kept   map[string]coin
	Dict   state.Dict[string, token]
	Best   coin
	Nested []coin
	Ptr    *coin
	Sent   coin
	Other  string
}

// greatest of two coins; of 7 it makes a debt.
func greatest(a, b coin) (coin, error) {
	if b.Cents == 7 {
		return coin{Cents: -7}, nil
	}
	if b.Cents > a.Cents {
		return b, nil
	}
	return a, nil
}

var (
	pOne    = state.NewValue("one", func(p *purse) *coin { return &p.One })
	pToken  = state.NewValue("token", func(p *purse) *token { return &p.Token })
	pCoins  = state.NewList("coins", func(p *purse) *[]coin { return &p.Coins })
	pTokens = state.NewList("tokens", func(p *purse) *[]token { return &p.Tokens })
	pKept   = state.NewMap("kept", func(p *purse) *map[string]coin { return &p.Kept })
	pDict   = state.NewDict("dict", func(p *purse) *state.Dict[string, token] { return &p.Dict })
	pBest   = state.NewReduced("best", state.Reducer[coin]{Name: "greatest", Combine: greatest}, func(p *purse) *coin { return &p.Best })
	pNested = state.NewValue("nested", func(p *purse) *[]coin { return &p.Nested })
	pPtr    = state.NewValue("ptr", func(p *purse) **coin { return &p.Ptr })
	pSent   = state.NewLocal("sent", func(p *purse) *coin { return &p.Sent })
	pOther  = state.NewValue("other", func(p *purse) *string { return &p.Other })

	purseSchema = state.MustSchema(pOne, pToken, pCoins, pTokens, pKept, pDict, pBest, pNested, pPtr, pSent, pOther)
)

// own is how a coin writes itself.
func own(cents int) string { return fmt.Sprintf(`{"mark":"own","cents":%d}`, cents) }

// paid is an update of all fields.
func paid() *state.Changes {
	return updates(pOne.Set(coin{Cents: 1}), pToken.Set(token{Cents: 2}), pCoins.Append(coin{Cents: 3}), pOther.Set("x"),
		pTokens.Append(token{Cents: 4}, token{Cents: 5}), pKept.Put("k", coin{Cents: 6}), pDict.Put("d", token{Cents: 8}), pBest.Reduce(coin{Cents: 9}))
}

func TestEncodersWriteThemselves(t *testing.T) {
	t.Parallel()
	lay := purseSchema.Layout()
	store := lay.NewStore(&purse{})
	store.Journal(true)
	require.NoError(t, runStep(store, paid()))
	ops, _, err := store.AppendOps(nil)
	require.NoError(t, err)
	require.Equal(t, `[["one","set",`+own(1)+`],["token","set",`+own(2)+`],["coins","append",[`+own(3)+`]],["other","set","x"],["tokens","append",[`+own(4)+`,`+own(5)+
		`]],["kept","put",{"k":`+own(6)+`}],["dict","put",{"d":`+own(8)+`}],["best","replace",`+own(9)+`]]`, string(ops))
	whole, err := lay.AppendState(nil, store.State())
	require.NoError(t, err)
	require.Equal(t, `{"one":`+own(1)+`,"token":`+own(2)+`,"coins":[`+own(3)+`],"tokens":[`+own(4)+`,`+own(5)+`],"kept":{"k":`+own(6)+`},"dict":{"d":`+own(8)+
		`},"best":`+own(9)+`,"nested":null,"ptr":null,"other":"x"}`, string(whole))

	read := lay.NewStore(&purse{})
	require.NoError(t, read.Replay(ops))
	require.Equal(t, coin{Cents: 1, Mark: "own"}, read.State().(*purse).One)
	require.Equal(t, []token{{4, "own"}, {5, "own"}}, read.State().(*purse).Tokens)
	require.Equal(t, shown(t, lay, store.State()), shown(t, lay, read.State()))

	sent := updates(pSent.Set(coin{Cents: 3}))
	over, err := lay.AppendChanges(nil, sent)
	require.NoError(t, err)
	require.Equal(t, `[["sent","set",`+own(3)+`]]`, string(over))
	require.NoError(t, lay.Overlay(&purse{}, &purse{}, sent.All()))
}

// Values inside of values of other types are written by encoding/json, and
// looked at as all others.
func TestEncodersInsideOfOtherValues(t *testing.T) {
	t.Parallel()
	lay := purseSchema.Layout()
	store := lay.NewStore(&purse{})
	store.Journal(true)
	require.NoError(t, runStep(store, updates(pNested.Set([]coin{{Cents: -1}}), pPtr.Set(&coin{Cents: 1}))))
	ops, _, err := store.AppendOps(nil)
	require.NoError(t, err)
	require.Equal(t, `[["nested","set",[{"cents":-1}]],["ptr","set",{"cents":1}]]`, string(ops))
	require.ErrorContains(t, runStep(store, updates(pNested.Set([]coin{{More: map[string]any{"n": 1}}}))), `field "nested": at [0].More.n: `)
}

// Operations are made of what was written, whatever the tasks of a step write
// in whichever order, and whatever was tried before.
func TestOperationsOfEncoders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tasks []*state.Changes
		want  string
	}{
		"one after the other": {[]*state.Changes{updates(pCoins.Append(coin{Cents: 1})), updates(pCoins.Append(coin{Cents: 2}, coin{Cents: 3}))},
			`[["coins","append",[` + own(1) + `,` + own(2) + `,` + own(3) + `]]]`},
		"another between": {[]*state.Changes{updates(pCoins.Append(coin{Cents: 1}), pTokens.Append(token{Cents: 2})), updates(pCoins.Append(coin{Cents: 3}))},
			`[["coins","append",[` + own(1) + `,` + own(3) + `]],["tokens","append",[` + own(2) + `]]]`},
		"none": {[]*state.Changes{updates(pCoins.Append())}, `[["coins","append",[]]]`},
		"none and one": {[]*state.Changes{updates(pCoins.Append()), updates(pCoins.Append(coin{Cents: 1}))},
			`[["coins","append",[` + own(1) + `]]]`},
		"replaced": {[]*state.Changes{updates(pCoins.Append(coin{Cents: 1})), updates(pCoins.Replace([]coin{{Cents: 2}}), pCoins.Append(coin{Cents: 3}))},
			`[["coins","replace",[` + own(2) + `,` + own(3) + `]]]`},
		"a value replaced": {[]*state.Changes{updates(pOne.Replace(coin{Cents: 1}))}, `[["one","replace",` + own(1) + `]]`},
	} {
		store := purseSchema.Layout().NewStore(&purse{})
		store.Journal(true)
		require.ErrorIs(t, runStep(store, updates(pCoins.Append(coin{Cents: 5}), pOne.Set(coin{Cents: -1}))), errDebt, name)
		for range 2 {
			require.NoError(t, runStep(store, c.tasks...), name)
			ops, _, err := store.AppendOps(nil)
			require.NoError(t, err)
			require.Equal(t, c.want, string(ops), name)
			writes, err := store.AppendWrites(nil)
			require.NoError(t, err)
			u, err := purseSchema.Layout().DecodeChanges(writes)
			require.NoError(t, err)
			other := purseSchema.Layout().NewStore(&purse{})
			require.NoError(t, runStep(other, &u), name)
			read := purseSchema.Layout().NewStore(&purse{})
			require.NoError(t, read.Replay(ops))
			require.Equal(t, shown(t, purseSchema.Layout(), other.State()), shown(t, purseSchema.Layout(), read.State()), name)
		}
	}
}

func TestEncodersRefuseWhatIsWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write state.Write[purse]
		text  string
	}{
		"value":         {pOne.Set(coin{Cents: -1}), `field "one": unfit value: cents: a debt is no coin`},
		"replaced":      {pOne.Replace(coin{Cents: -1}), `field "one": unfit value: cents: a debt is no coin`},
		"by pointer":    {pToken.Set(token{Cents: -1}), `field "token": unfit value: cents: a debt is no coin`},
		"element":       {pCoins.Append(coin{Cents: -1}), `field "coins": unfit value: cents: a debt is no coin`},
		"elements":      {pTokens.Append(token{}, token{Cents: -1}), `field "tokens": at [1]: unfit value: cents: a debt is no coin`},
		"whole list":    {pCoins.Replace([]coin{{Cents: -1}}), `field "coins": at [0]: unfit value: cents: a debt is no coin`},
		"entry":         {pKept.Put("k", coin{Cents: -1}), `field "kept": at .k: unfit value: cents: a debt is no coin`},
		"entries":       {pKept.Replace(map[string]coin{"k": {Cents: -1}}), `field "kept": at .k: unfit value: cents: a debt is no coin`},
		"dict":          {pDict.Put("d", token{Cents: -1}), `field "dict": at .d: unfit value: cents: a debt is no coin`},
		"whole dict":    {pDict.Replace(state.Dict[string, token]{}.With("d", token{Cents: -1})), `field "dict": at .d: unfit value: cents: a debt is no coin`},
		"operand":       {pBest.Reduce(coin{Cents: -1}), `field "best": unfit value: cents: a debt is no coin`},
		"reducer":       {pBest.Reduce(coin{Cents: 7}), `result of reducer "greatest": field "best": unfit value: cents: a debt is no coin`},
		"panic":         {pOne.Set(coin{Cents: 13}), `panicked: unlucky`},
		"panic in list": {pCoins.Append(coin{}, coin{Cents: 13}), `panicked: unlucky`},
	} {
		for _, on := range []bool{false, true} {
			store := purseSchema.Layout().NewStore(&purse{})
			store.Journal(on)
			require.NoError(t, runStep(store, paid()))
			before := shown(t, purseSchema.Layout(), store.State())
			err := runStep(store, updates(c.write))
			require.ErrorIs(t, err, state.ErrValue, name)
			require.ErrorContains(t, err, c.text, name)
			require.Equal(t, before, shown(t, purseSchema.Layout(), store.State()), name)
			require.NoError(t, runStep(store, paid()), "the store goes on")
		}
		_, err := purseSchema.Apply(purse{}, c.write)
		require.ErrorIs(t, err, state.ErrValue, name)
	}
	require.ErrorIs(t, purseSchema.Layout().Overlay(&purse{}, &purse{}, updates(pSent.Set(coin{Cents: -1})).All()), errDebt)
	require.ErrorIs(t, purseSchema.Layout().Admit(&purse{Coins: []coin{{Cents: -1}}}), errDebt)
	_, err := purseSchema.DecodeState([]byte(`{"one":{"cents":-1}}`))
	require.ErrorIs(t, err, errDebt)
	_, err = purseSchema.Layout().AppendState(nil, &purse{Kept: map[string]coin{"k": {Cents: -1}}})
	require.ErrorIs(t, err, state.ErrValue)
	require.ErrorContains(t, err, `state: field "kept": key "k": unfit value: cents: a debt is no coin`)
}

// mixed embeds an Encoder, which would write it without its other fields.
type mixed struct {
	coin
	Extra string
}

// alone is nothing but what it embeds.
type alone struct{ Coin }

// Coin is coin with a name that others see.
type Coin struct {
	Cents int `json:"cents"`
}

func (c Coin) CheckJSON() error { return nil }

func (c Coin) AppendJSON(dst []byte) ([]byte, error) { return coin{Cents: c.Cents}.AppendJSON(dst) }

// hidden has a field that encoding/json cannot read.
type hidden struct{ cents int }

func (hidden) CheckJSON() error { return nil }

func (h hidden) AppendJSON(dst []byte) ([]byte, error) { return coin{Cents: h.cents}.AppendJSON(dst) }

// forms writes a form of its own that it cannot read.
type forms struct{ Coin }

func (forms) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func TestSchemasOfEncoders(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, typed[mixed](), "would hide the other fields")
	require.ErrorContains(t, typed[hidden](), "an unexported field would be lost")
	require.ErrorContains(t, typed[forms](), "cannot read it")
	require.NoError(t, typed[coin]())
	require.NoError(t, typed[token]())
	require.NoError(t, typed[[]coin]())
	require.NoError(t, typed[alone]())
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{`{}`, ` [1, "a"] `, `null`, `{"a":{"a":1}}`} {
		require.NoError(t, state.CheckJSON([]byte(sound)), sound)
	}
	for _, bad := range []string{``, `{`, `{} {}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `01`} {
		require.ErrorIs(t, state.CheckJSON([]byte(bad)), state.ErrValue, bad)
	}
}

// bill is a value as states have them, written by encoding/json.
type bill struct {
	ID    string         `json:"id"`
	Cents int            `json:"cents,omitempty"`
	Lines []string       `json:"lines,omitempty"`
	More  map[string]any `json:"more,omitempty"`
}

// ownBill is one that writes itself.
type ownBill bill

func (b ownBill) CheckJSON() error { return nil }

func (b ownBill) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(append(append(dst, `{"id":"`...), b.ID...), `","lines":[`...)
	for i, l := range b.Lines {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), l...), '"')
	}
	return append(dst, `],"more":{"a":"b"}}`...), nil
}

// BenchmarkEncoder is a step that sets a value and appends it to a list, with
// its operations.
func BenchmarkEncoder(b *testing.B) {
	in := bill{ID: "5f0ba73e", Lines: []string{"one", "two", "three"}, More: map[string]any{"a": "b"}}
	b.Run("encoding/json", func(b *testing.B) { benchBills(b, in) })
	b.Run("own", func(b *testing.B) { benchBills(b, ownBill(in)) })
}

func benchBills[B any](b *testing.B, in B) {
	type bills struct {
		Last B
		All  []B
	}
	last := state.NewValue("last", func(s *bills) *B { return &s.Last })
	all := state.NewList("all", func(s *bills) *[]B { return &s.All })
	store := state.MustSchema(last, all).Layout().NewStore(&bills{})
	b.ReportAllocs()
	var dst []byte
	u := updates(last.Set(in), all.Append(in))
	for n := 0; b.Loop(); n++ {
		if n%1000 == 0 {
			store.Reset(&bills{})
			store.Journal(true)
		}
		if err := store.ApplyAlone(u); err != nil {
			b.Fatal(err)
		}
		store.Commit()
		var err error
		if dst, _, err = store.AppendOps(dst[:0]); err != nil {
			b.Fatal(err)
		}
	}
	require.True(b, json.Valid(dst))
}
