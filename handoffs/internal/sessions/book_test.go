package sessions_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

type room struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(r *room) *handoffs.State { return &r.State })
	schema = state.MustSchema(fields)
)

func newBook(t *testing.T, store checkpoint.Store) *sessions.Book[room] {
	b, err := sessions.New(sessions.Config[room]{
		Name: "test", Fields: fields, Schema: schema, Store: store, Clock: func() time.Time { return time.Unix(0, 0).UTC() },
		Policy: &handoffs.Policy{Entry: "a", Registry: handoffs.MustRegistry(handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b"})},
	})
	require.NoError(t, err)
	return b
}

// hand is a step in which one agent hands to another one.
func hand(from, to string) func(*room, *handoffs.Batch) ([]state.Write[room], error) {
	return func(_ *room, in *handoffs.Batch) ([]state.Write[room], error) {
		c := handoffs.NewCommand(to, handoffs.Delegation, "because")
		x, err := sessions.Execution(in, from, &c)
		in.Speaker, in.Executions = from, append(in.Executions, x)
		return nil, err
	}
}

func TestStepsAreKept(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	b := newBook(t, store)
	at, err := b.Load(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, room{}, at)

	after, res, err := b.Step(t.Context(), "s", hand("a", "b"))
	require.NoError(t, err)
	require.Equal(t, "b", res.Turns[0].Agent)
	at, err = newBook(t, store).Load(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, after.Handoffs, at.Handoffs)
	require.Equal(t, after.HandoffLog, at.HandoffLog)
	require.Equal(t, "b", at.ActiveAgent)
	for name, err := range b.Sessions(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, "s", name)
	}
}

func TestStepWithNothingToDoChangesNothing(t *testing.T) {
	b := newBook(t, nil)
	before, _, err := b.Step(t.Context(), "s", hand("a", "b"))
	require.NoError(t, err)
	for _, why := range []error{sessions.ErrNothing, errors.New("no")} {
		after, res, err := b.Step(t.Context(), "s", func(*room, *handoffs.Batch) ([]state.Write[room], error) { return nil, why })
		if why == sessions.ErrNothing {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, why)
		}
		require.Nil(t, res)
		require.Equal(t, before.Handoffs, after.Handoffs)
		require.Equal(t, before.HandoffLog, after.HandoffLog)
	}
}

func TestStepsOfOneSessionWaitForOneAnother(t *testing.T) {
	b := newBook(t, nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			from, to := "a", "b"
			if i%2 == 1 {
				from, to = to, from
			}
			if _, _, err := b.Step(t.Context(), "s", hand(from, to)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	at, err := b.Load(t.Context(), "s")
	require.NoError(t, err)
	ids := map[string]bool{}
	for h := range handoffs.History(handoffs.LogOf(at.HandoffLog), handoffs.Filter{}) {
		ids[h.ID] = true
	}
	require.Len(t, ids, 20, fmt.Sprint(ids))
}

func TestTurnsBeginAndEnd(t *testing.T) {
	b := newBook(t, nil)
	_, res, err := b.Step(t.Context(), "s", hand("a", "b"))
	require.NoError(t, err)
	turn := sessions.Begun(res)
	require.Equal(t, "b", turn.Agent)
	require.True(t, sessions.AtWork(res.Desk, turn))
	after, res, err := b.Step(t.Context(), "s", func(_ *room, in *handoffs.Batch) ([]state.Write[room], error) {
		x, err := sessions.Failure(in, turn, errors.New("boom"))
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	require.NoError(t, err)
	require.Nil(t, sessions.Begun(res))
	require.False(t, sessions.AtWork(&after.Handoffs, turn))
	require.ErrorIs(t, sessions.Refusal(res), handoffs.CodeFailed)
	require.Equal(t, "boom", sessions.Refusal(res).Message)

	_, res, err = b.Step(t.Context(), "s", hand("a", "nobody")) // the refusal is a turn of the source
	require.NoError(t, err)
	require.NotEmpty(t, res.Turns)
	require.Nil(t, sessions.Begun(res))
	require.ErrorIs(t, sessions.Refusal(res), handoffs.CodeNotFound)
	require.ErrorIs(t, sessions.Refusal(&handoffs.Result{}), handoffs.CodeUnavailable)
	require.Nil(t, sessions.Begun(nil))
}

func TestNewTellsWhatIsWrong(t *testing.T) {
	_, err := sessions.New(sessions.Config[room]{Fields: fields, Schema: schema, Policy: &handoffs.Policy{}})
	require.ErrorContains(t, err, "needs a registry")
}
