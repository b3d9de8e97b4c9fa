package bus_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs/bus"
)

func msg(id, typ, target string) bus.Message {
	return bus.Message{ID: id, Type: typ, Target: target}
}

// subscribe begins a subscription that must succeed.
func subscribe(t *testing.T, ctx context.Context, b bus.Bus, f bus.Filter) iter.Seq[bus.Message] {
	t.Helper()
	s, err := b.Subscribe(ctx, f)
	require.NoError(t, err)
	return s
}

// drain closes the bus and returns the ids of what a subscriber has.
func drain(t *testing.T, b *bus.Local, s iter.Seq[bus.Message]) (ids []string) {
	t.Helper()
	require.NoError(t, b.Close())
	for m := range s {
		ids = append(ids, m.ID)
	}
	return ids
}

func publish(t *testing.T, b bus.Bus, all ...bus.Message) {
	t.Helper()
	for _, m := range all {
		require.NoError(t, b.Publish(t.Context(), m))
	}
}

func TestSubscribersGetWhatTheirFilterTakes(t *testing.T) {
	for name, c := range map[string]struct {
		filter bus.Filter
		want   []string
	}{
		"all":             {bus.Filter{}, []string{"1", "2", "3", "4"}},
		"a type":          {bus.Filter{Types: []string{bus.AgentHandoff}}, []string{"1", "2"}},
		"two types":       {bus.Filter{Types: []string{bus.TaskFailed, "security.alert"}}, []string{"3", "4"}},
		"no type":         {bus.Filter{Types: []string{}}, nil},
		"a target":        {bus.Filter{Target: "b"}, []string{"2", "3"}},
		"type and target": {bus.Filter{Types: []string{bus.AgentHandoff}, Target: "b"}, []string{"2"}},
		"a session":       {bus.Filter{Session: "s"}, []string{"3"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := bus.NewLocal(nil)
			s := subscribe(t, t.Context(), b, c.filter)
			failed := msg("3", bus.TaskFailed, "b")
			failed.Context.Session = "s"
			publish(t, b, msg("1", bus.AgentHandoff, "a"), msg("2", bus.AgentHandoff, "b"), failed, msg("4", "security.alert", ""))
			require.Equal(t, c.want, drain(t, b, s))
			for i, m := range b.History(c.filter) {
				require.Equal(t, c.want[i], m.ID, "the history is filtered in the same way")
			}
			require.Len(t, b.History(c.filter), len(c.want))
		})
	}
}

func TestAChangedFilterDoesNotChangeASubscription(t *testing.T) {
	b, types := bus.NewLocal(nil), []string{"x"}
	s := subscribe(t, t.Context(), b, bus.Filter{Types: types})
	types[0] = "y"
	publish(t, b, msg("1", "x", ""), msg("2", "y", ""))
	require.Equal(t, []string{"1"}, drain(t, b, s))
}

func TestSubscribersGetNothingFromBefore(t *testing.T) {
	b := bus.NewLocal(nil)
	publish(t, b, msg("1", "x", ""))
	s := subscribe(t, t.Context(), b, bus.Filter{})
	publish(t, b, msg("1", "x", ""), msg("2", "x", ""))
	require.Equal(t, []string{"2"}, drain(t, b, s))
}

func TestDuplicatesAreDropped(t *testing.T) {
	b := bus.NewLocal(&bus.LocalConfig{Keep: 2})
	s := subscribe(t, t.Context(), b, bus.Filter{})
	publish(t, b, msg("1", "x", ""), msg("1", "x", ""), msg("", "x", ""), msg("", "x", ""), msg("1", "x", ""))
	require.Equal(t, []string{"1", "", "", "1"}, drain(t, b, s), "1 was forgotten behind two others")
}

func TestHistoryKeepsTheNewest(t *testing.T) {
	for keep, want := range map[int]int{-1: 0, 1: 1, 3: 3, 0: 10} {
		b := bus.NewLocal(&bus.LocalConfig{Keep: keep})
		for i := range 10 {
			publish(t, b, msg(fmt.Sprint(i), "x", ""))
		}
		got := b.History(bus.Filter{})
		require.Len(t, got, want)
		for i, m := range got {
			require.Equal(t, fmt.Sprint(10-want+i), m.ID)
		}
	}
}

func TestPublishWaitsForASlowSubscriberUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewLocal(&bus.LocalConfig{Buffer: 1})
		slow := subscribe(t, t.Context(), b, bus.Filter{})
		quick := subscribe(t, t.Context(), b, bus.Filter{Types: []string{"y"}})
		publish(t, b, msg("1", "x", ""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := b.Publish(ctx, msg("2", "y", ""))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, `bus: message "2" of type "y": 1 subscribers have not taken it: context deadline exceeded`)

		go func() {
			for m := range slow {
				if m.ID == "1" {
					break
				}
			}
		}()
		publish(t, b, msg("2", "y", ""), msg("2", "y", ""))
		require.Equal(t, []string{"2"}, drain(t, b, quick), "once, though it was published three times")
	})
}

func TestAMessageThatDidNotGetThroughIsPublishedAgainToTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewLocal(&bus.LocalConfig{Buffer: 1})
		slow := subscribe(t, t.Context(), b, bus.Filter{})
		quick := subscribe(t, t.Context(), b, bus.Filter{Target: "q"})
		publish(t, b, msg("1", "x", ""))
		first, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- b.Publish(first, msg("2", "x", "q")) }()
		synctest.Wait()
		again := make(chan error, 1)
		go func() { again <- b.Publish(t.Context(), msg("2", "x", "q")) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		var got []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			for m := range slow {
				got = append(got, m.ID)
			}
		}()
		require.NoError(t, <-again, "it goes on where the first one gave up")
		require.Equal(t, []string{"2"}, drain(t, b, quick))
		<-done
		require.Equal(t, []string{"1", "2"}, got)
	})
}

func TestWhoWaitsForAnotherPublisherOfTheMessageEndsWithHisContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewLocal(&bus.LocalConfig{Buffer: -1})
		subscribe(t, t.Context(), b, bus.Filter{})
		first := make(chan error, 1)
		go func() { first <- b.Publish(t.Context(), msg("1", "x", "")) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, b.Publish(ctx, msg("1", "x", "")), context.DeadlineExceeded)
		require.NoError(t, b.Close())
		require.ErrorIs(t, <-first, bus.ErrClosed)
	})
}

func TestSubscriptionsThatEndKeepNobodyWaiting(t *testing.T) {
	for name, end := range map[string]func(s iter.Seq[bus.Message], cancel func()){
		"context": func(_ iter.Seq[bus.Message], cancel func()) { cancel() },
		"loop": func(s iter.Seq[bus.Message], _ func()) {
			for range s {
				break
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bus.NewLocal(&bus.LocalConfig{Buffer: 1})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := subscribe(t, ctx, b, bus.Filter{})
				publish(t, b, msg("1", "x", ""))
				done := make(chan error, 2)
				go func() {
					done <- b.Publish(t.Context(), msg("2", "x", ""))
					done <- b.Publish(t.Context(), msg("3", "x", ""))
				}()
				synctest.Wait()
				end(s, cancel)
				require.NoError(t, <-done)
				require.NoError(t, <-done)
				for m := range s {
					t.Error("it has ended, and gives", m.ID)
				}
				require.Len(t, b.History(bus.Filter{}), 3)
			})
		})
	}
}

func TestCloseEndsPublishersAndSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewLocal(&bus.LocalConfig{Buffer: 2})
		s := subscribe(t, t.Context(), b, bus.Filter{})
		publish(t, b, msg("1", "x", ""), msg("2", "x", ""))
		waits := make(chan error, 1)
		go func() { waits <- b.Publish(t.Context(), msg("3", "x", "")) }()
		idle := make(chan int, 1)
		other := subscribe(t, t.Context(), b, bus.Filter{Types: []string{"y"}})
		go func() {
			n := 0
			for range other {
				n++
			}
			idle <- n
		}()
		synctest.Wait()
		require.NoError(t, b.Close())
		require.ErrorIs(t, <-waits, bus.ErrClosed)
		require.Zero(t, <-idle)
		require.Equal(t, []string{"1", "2"}, drain(t, b, s), "closing it twice is no error, what was delivered is there")
		require.ErrorIs(t, b.Publish(t.Context(), msg("4", "x", "")), bus.ErrClosed)
		_, err := b.Subscribe(t.Context(), bus.Filter{})
		require.ErrorIs(t, err, bus.ErrClosed)
	})
}

func TestPublishRefuses(t *testing.T) {
	b := bus.NewLocal(nil)
	err := b.Publish(t.Context(), msg("1", "", ""))
	require.ErrorIs(t, err, bus.ErrInvalid)
	require.EqualError(t, err, `bus: invalid: message "1" has no type`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := subscribe(t, t.Context(), b, bus.Filter{})
	require.ErrorIs(t, b.Publish(ctx, msg("2", "x", "")), context.Canceled)
	require.Empty(t, drain(t, b, s))
}

// Many publish at once, some of it twice, while subscribers come and go: those
// who stay get all of it once, and each publisher's messages in their order.
func TestEveryPublishersOrderIsKept(t *testing.T) {
	const publishers, each = 8, 200
	b := bus.NewLocal(&bus.LocalConfig{Buffer: 3})
	var readers, writers sync.WaitGroup
	for range 3 {
		s := subscribe(t, t.Context(), b, bus.Filter{})
		readers.Go(func() {
			next := map[string]int{}
			for m := range s {
				if n := m.Payload["n"].(int); n != next[m.Source] {
					t.Errorf("%s: message %d came where %d was due", m.Source, n, next[m.Source])
				}
				next[m.Source]++
			}
			for source, n := range next {
				if n != each {
					t.Errorf("%s: %d messages", source, n)
				}
			}
			if len(next) != publishers {
				t.Errorf("%d publishers", len(next))
			}
		})
	}
	for p := range publishers {
		writers.Go(func() {
			source := fmt.Sprint("p", p)
			for n := range each {
				m := bus.Message{ID: fmt.Sprint(source, ".", n), Type: "x", Source: source, Payload: map[string]any{"n": n}}
				if err := errors.Join(b.Publish(t.Context(), m), b.Publish(t.Context(), m)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		s := subscribe(t, ctx, b, bus.Filter{})
		readers.Go(func() {
			for range s {
				break
			}
		})
		cancel()
	}
	writers.Wait()
	require.NoError(t, b.Close())
	readers.Wait()
	require.Len(t, b.History(bus.Filter{}), publishers*each)
}

func BenchmarkPublish(b *testing.B) {
	local := bus.NewLocal(nil)
	ctx, cancel := context.WithCancel(b.Context())
	var readers sync.WaitGroup
	for range 4 {
		s, err := local.Subscribe(ctx, bus.Filter{})
		require.NoError(b, err)
		readers.Go(func() {
			for range s {
			}
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := local.Publish(ctx, bus.Message{Type: "x"}); err != nil {
			b.Fatal(err)
		}
	}
	cancel()
	readers.Wait()
}
