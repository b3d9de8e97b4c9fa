package handoffs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

func alert(id, level string) bus.Message {
	return bus.Message{ID: id, Type: "security.alert", Source: "scanner", Payload: map[string]any{"level": level, "host": "db-1"}}
}

// severe holds for alerts of the level "high".
func severe() *handoffs.Guard {
	return &handoffs.Guard{Text: `level = "high"`, Holds: func(f handoffs.Facts) (bool, string, error) {
		level, _ := f("level")
		if level == "broken" {
			return false, "", errors.New("the level cannot be read")
		}
		return level == "high", "", nil
	}}
}

func securityTrigger() handoffs.Trigger {
	return handoffs.Trigger{On: "security.alert", When: severe(), Target: "security", Task: "look into {host}, {level} by {source} {unknown}"}
}

func TestTriggerFires(t *testing.T) {
	m := alert("m1", "high")
	tr := securityTrigger()
	session, c, fires, err := tr.Fire(&m)
	require.NoError(t, err)
	require.True(t, fires)
	require.Equal(t, handoffs.Command{
		Type: handoffs.CommandType, Kind: handoffs.Transfer, Target: "security", Actor: handoffs.ByEvent, Reason: handoffs.Delegation,
		Explanation: "message m1 of type security.alert", Task: "look into db-1, high by scanner {unknown}",
		Priority: handoffs.Urgent, Payload: m.Payload,
	}, c)
	again, _, _, err := tr.Fire(&m)
	require.NoError(t, err)
	require.Equal(t, session, again)
	other := alert("m2", "high")
	second, _, _, err := tr.Fire(&other)
	require.NoError(t, err)
	require.NotEqual(t, session, second)
	tr.Name = "other"
	second, _, _, err = tr.Fire(&m)
	require.NoError(t, err)
	require.NotEqual(t, session, second, "two triggers of one message have sessions of their own")

	tr = handoffs.Trigger{
		On: "security.alert", Capability: "audit", Intent: "{type}", Explanation: "{message} to {target}.", Reason: "own", Priority: handoffs.Low, Class: "simple",
		Session: func(m *bus.Message) string { return "host " + m.Payload["host"].(string) },
	}
	tr.When = &handoffs.Guard{Holds: func(f handoffs.Facts) (bool, string, error) {
		payload, _ := f("payload")
		return payload.(map[string]any)["host"] == "db-1", "", nil
	}}
	session, c, fires, err = tr.Fire(&m)
	require.NoError(t, err)
	require.True(t, fires)
	require.Equal(t, "host db-1", session)
	require.Equal(t, handoffs.Command{
		Type: handoffs.CommandType, Kind: handoffs.Transfer, Capability: "audit", Actor: handoffs.ByEvent, Reason: "own",
		Explanation: "m1 to .", Intent: "security.alert", Priority: handoffs.Low, Class: "simple", Payload: m.Payload,
	}, c)
}

func TestTriggerDoesNotFire(t *testing.T) {
	for name, c := range map[string]struct {
		m     bus.Message
		tr    func(*handoffs.Trigger)
		wrong string
	}{
		"another type": {bus.Message{ID: "m", Type: "x"}, nil, ""},
		"the guard":    {alert("m", "low"), nil, ""},
		"the guard fails": {alert("m", "broken"), nil,
			`handoffs: trigger "security.alert": message "m": guard: the level cannot be read`},
		"no id": {alert("", "high"), nil,
			`handoffs: trigger "security.alert": a message of type "security.alert" has no ID: its session has no name that is the same when it comes again; give it one, or set Session`},
		"no session": {alert("m", "high"), func(tr *handoffs.Trigger) { tr.Session = func(*bus.Message) string { return "" } },
			`handoffs: trigger "security.alert": message "m": Session gave no name`},
	} {
		t.Run(name, func(t *testing.T) {
			tr := securityTrigger()
			if c.tr != nil {
				c.tr(&tr)
			}
			_, _, fires, err := tr.Fire(&c.m)
			require.False(t, fires)
			if c.wrong == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.wrong)
			}
		})
	}
}

// sessions starts sessions that are not there yet.
type sessions struct {
	mu      sync.Mutex
	started map[string]handoffs.Command
	asked   int
}

func (s *sessions) start(_ context.Context, session string, c handoffs.Command) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.started == nil {
		s.started = map[string]handoffs.Command{}
	}
	if _, ok := s.started[session]; !ok {
		s.started[session] = c
	}
	return nil
}

//
func TestAnAlertStartsASessionOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewLocal(&bus.LocalConfig{Keep: 1}) // it forgets soon, so that what comes again is delivered again
		s := &sessions{started: map[string]handoffs.Command{"running": {}}}
		served := make(chan error, 1)
		triggers := handoffs.Triggers{List: []handoffs.Trigger{securityTrigger()}}
		go func() { served <- triggers.Serve(t.Context(), b, s.start) }()
		synctest.Wait()
		for _, m := range []bus.Message{alert("m1", "high"), alert("m2", "low"), alert("m1", "high"), {ID: "m3", Type: "chat"}} {
			require.NoError(t, b.Publish(t.Context(), m))
		}
		require.NoError(t, b.Close())
		require.NoError(t, <-served)
		require.Equal(t, 2, s.asked, "the alert came twice")
		require.Len(t, s.started, 2)
		require.Zero(t, s.started["running"], "the conversation is as it was")
		delete(s.started, "running")
		for _, c := range s.started {
			require.Equal(t, handoffs.Urgent, c.Priority)
			require.Equal(t, "security", c.Target)
		}
	})
}

func TestServeRunsSoManyStartsAtOnce(t *testing.T) {
	for most, want := range map[int]int{0: 1, 3: 3} {
		synctest.Test(t, func(t *testing.T) {
			b := bus.NewLocal(nil)
			now, top := 0, 0
			var mu sync.Mutex
			count := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				now += n
				top = max(top, now)
			}
			triggers := handoffs.Triggers{List: []handoffs.Trigger{securityTrigger()}, Most: most}
			served := make(chan error, 1)
			go func() {
				served <- triggers.Serve(t.Context(), b, func(context.Context, string, handoffs.Command) error {
					count(1)
					time.Sleep(time.Minute)
					count(-1)
					return nil
				})
			}()
			synctest.Wait()
			for i := range 7 {
				require.NoError(t, b.Publish(t.Context(), alert(fmt.Sprint(i), "high")))
			}
			require.NoError(t, b.Close())
			require.NoError(t, <-served)
			require.Equal(t, want, top)
			require.Zero(t, now, "Serve waits for all of them")
		})
	}
}

func TestServeEnds(t *testing.T) {
	down := errors.New("the store is down")
	fails := func(context.Context, string, handoffs.Command) error { return down }
	t.Run("with the first error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bus.NewLocal(nil)
			triggers := handoffs.Triggers{List: []handoffs.Trigger{securityTrigger()}}
			served := make(chan error, 1)
			go func() { served <- triggers.Serve(t.Context(), b, fails) }()
			synctest.Wait()
			require.NoError(t, b.Publish(t.Context(), alert("m1", "high")))
			err := <-served
			require.ErrorIs(t, err, down)
			require.ErrorContains(t, err, `handoffs: trigger "security.alert": message "m1": session "`)
		})
	})
	t.Run("not with an error that somebody is told", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bus.NewLocal(nil)
			var wrong []string
			triggers := handoffs.Triggers{
				List:   []handoffs.Trigger{securityTrigger()},
				Failed: func(m bus.Message, err error) { wrong = append(wrong, m.ID+" "+err.Error()) },
			}
			served := make(chan error, 1)
			go func() { served <- triggers.Serve(t.Context(), b, fails) }()
			synctest.Wait()
			require.NoError(t, b.Publish(t.Context(), alert("m1", "high")))
			synctest.Wait()
			require.NoError(t, b.Publish(t.Context(), alert("m2", "broken")))
			require.NoError(t, b.Close())
			require.NoError(t, <-served)
			require.Len(t, wrong, 2)
			require.Contains(t, wrong[0], "the store is down")
			require.Contains(t, wrong[1], "the level cannot be read")
		})
	})
	t.Run("with its context, and waits for what it started", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bus.NewLocal(nil)
			ctx, cancel := context.WithCancel(t.Context())
			ended := 0
			triggers := handoffs.Triggers{List: []handoffs.Trigger{securityTrigger()}}
			served := make(chan error, 1)
			go func() {
				served <- triggers.Serve(ctx, b, func(ctx context.Context, _ string, _ handoffs.Command) error {
					<-ctx.Done()
					time.Sleep(time.Second)
					ended++
					return ctx.Err()
				})
			}()
			synctest.Wait()
			require.NoError(t, b.Publish(t.Context(), alert("m1", "high")))
			require.NoError(t, b.Publish(t.Context(), alert("m2", "high"))) // waits for the first
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-served, context.Canceled)
			require.Equal(t, 1, ended)
		})
	})
	t.Run("at once on a bus that is closed", func(t *testing.T) {
		b := bus.NewLocal(nil)
		require.NoError(t, b.Close())
		triggers := handoffs.Triggers{List: []handoffs.Trigger{securityTrigger()}}
		require.ErrorIs(t, triggers.Serve(t.Context(), b, fails), bus.ErrClosed)
	})
}

func TestServeRefusesTriggers(t *testing.T) {
	b := bus.NewLocal(nil)
	triggers := handoffs.Triggers{List: []handoffs.Trigger{{Name: "a", Target: "x"}, {On: "b"}, securityTrigger(), securityTrigger()}}
	err := triggers.Serve(t.Context(), b, nil)
	require.EqualError(t, err, `handoffs: trigger "a": On is empty: name the type of its messages
handoffs: trigger "b": it has neither a Target nor a Capability
handoffs: two triggers are named "security.alert": their messages would begin the same session; give one a Name`)
}
