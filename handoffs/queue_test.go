package handoffs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var queueNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func anyFree(string) bool { return true }

// waiting is an offer to an agent that waits for room since a second.
func waiting(to string, p Priority, since int) Offer {
	return Offer{Record: &Record{ID: fmt.Sprintf("%s-%s-%d", to, p, since)}, To: to, Status: PendingAccept,
		Level: QueuePolicy{}.Level(p), Since: queueNow.Add(time.Duration(since) * time.Second)}
}

// served takes all offers out of a queue, one a second from a time on.
func served(p QueuePolicy, q []Offer, now time.Time) []string {
	var out []string
	for {
		i := p.next(q, now, anyFree)
		if i < 0 {
			return out
		}
		out = append(out, q[i].Record.ID)
		q = slices.Delete(slices.Clone(q), i, i+1)
		now = now.Add(time.Second)
	}
}

func TestQueueLevel(t *testing.T) {
	t.Parallel()
	own := QueuePolicy{Levels: map[Priority]int{Normal: 3, "vip": 0}}
	for _, c := range []struct {
		p         Priority
		zero, own int
	}{{Urgent, 1, 1}, {High, 2, 2}, {Normal, 5, 3}, {Low, 10, 10}, {"", 5, 3}, {"vip", 5, 0}} {
		require.Equal(t, c.zero, QueuePolicy{}.Level(c.p), c.p)
		require.Equal(t, c.own, own.Level(c.p), c.p)
	}
}

// urgent, high, normal, low, and in the order of their coming inside.
func TestQueueOrder(t *testing.T) {
	t.Parallel()
	q := []Offer{
		waiting("a", Low, 0), waiting("a", Normal, 1), waiting("a", Urgent, 2), waiting("a", High, 3),
		waiting("a", Urgent, 4), waiting("a", Normal, 5), waiting("a", Low, 6), waiting("a", High, 7),
	}
	require.Equal(t, []string{"a-urgent-2", "a-urgent-4", "a-high-3", "a-high-7", "a-normal-1", "a-normal-5", "a-low-0", "a-low-6"},
		served(QueuePolicy{}, q, queueNow.Add(10*time.Second)))
	slices.Reverse(q)
	require.Equal(t, []string{"a-urgent-2", "a-urgent-4", "a-high-3", "a-high-7", "a-normal-1", "a-normal-5", "a-low-0", "a-low-6"},
		served(QueuePolicy{}, q, queueNow.Add(10*time.Second)), "who waits longest, wherever it stands")
	same := []Offer{waiting("a", Normal, 0), waiting("b", Normal, 0), waiting("c", Normal, 0)}
	require.Equal(t, []string{"a-normal-0", "b-normal-0", "c-normal-0"}, served(QueuePolicy{}, same, queueNow), "of one time the first")
}

func TestQueuePassesOverWhatCannotBegin(t *testing.T) {
	t.Parallel()
	now := queueNow.Add(time.Minute)
	for name, change := range map[string]func(*Offer){
		"waits for a person":         func(o *Offer) { o.Status = AwaitingApproval },
		"waits for a retry":          func(o *Offer) { o.Status, o.Next = Failed, now.Add(time.Second) },
		"is not to begin yet":        func(o *Offer) { o.Next = now.Add(1) },
		"waits for its target":       func(o *Offer) { o.External = true },
		"its target is busy":         func(o *Offer) { o.To = "busy" },
		"was not accepted in time":   func(o *Offer) { o.Due = now },
		"was not accepted long ago":  func(o *Offer) { o.Due = now.Add(-time.Hour) },
		"is not of the queue at all": func(o *Offer) { o.Status = Running },
	} {
		first, second := waiting("a", Urgent, 0), waiting("a", Low, 1)
		free := func(agent string) bool { return agent != "busy" }
		require.Equal(t, 0, QueuePolicy{}.next([]Offer{first, second}, now, free))
		change(&first)
		require.Equal(t, 1, QueuePolicy{}.next([]Offer{first, second}, now, free), name)
		require.Equal(t, -1, QueuePolicy{}.next([]Offer{first}, now, free), name)
	}
	o := waiting("a", Urgent, 0)
	o.Due, o.Next = now.Add(1), now
	require.Equal(t, 0, QueuePolicy{}.next([]Offer{o}, now, anyFree), "in time")
	require.Equal(t, -1, QueuePolicy{}.next(nil, now, anyFree))
}

// what must be accepted within 30 s can begin after 29.9 s, not after 31.
func TestQueueAcceptTime(t *testing.T) {
	t.Parallel()
	o := waiting("a", Normal, 0)
	o.Due = o.Since.Add(30 * time.Second)
	for after, want := range map[time.Duration]int{29_900 * time.Millisecond: 0, 30 * time.Second: -1, 31 * time.Second: -1} {
		require.Equal(t, want, QueuePolicy{}.next([]Offer{o}, o.Since.Add(after), anyFree), after)
	}
	at, ok := nextDue(&Desk{Queue: []Offer{o}})
	require.True(t, ok)
	require.Equal(t, o.Since.Add(30*time.Second), at)
}

// one handoff of low priority under a stream of urgent ones, one a
// second, which is as many as the agent can do.
func TestQueueStarvesNobodyWithAgeing(t *testing.T) {
	t.Parallel()
	turnOfLow := func(p QueuePolicy, seconds int) int {
		q := []Offer{waiting("a", Low, 0)}
		for s := range seconds {
			q = append(q, waiting("a", Urgent, s))
			i := p.next(q, queueNow.Add(time.Duration(s)*time.Second), anyFree)
			if q[i].Level == 10 {
				return s
			}
			q = slices.Delete(q, i, i+1)
		}
		return -1
	}
	require.Equal(t, -1, turnOfLow(QueuePolicy{}, 1000), "without ageing the order is strict")
	require.Equal(t, 90, turnOfLow(QueuePolicy{Ageing: 10 * time.Second}, 1000), "from level 10 to level 1 in 9 times 10 s, and it waits longest")
	require.Equal(t, 9, turnOfLow(QueuePolicy{Ageing: time.Second}, 1000))
}

// Whatever comes: nobody goes before an offer that has waited so much longer
// that it makes up for all levels, and one that goes first is of the least level
// with all that waits taken into account.
func TestQueueAgeingBoundsTheWait(t *testing.T) {
	t.Parallel()
	priorities := []Priority{Urgent, High, Normal, Low}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		p := QueuePolicy{Ageing: time.Duration(1+rnd.IntN(20)) * time.Second}
		var q []Offer
		for range 60 {
			q = append(q, waiting("a", priorities[rnd.IntN(4)], rnd.IntN(400)))
		}
		now := queueNow.Add(400 * time.Second)
		makesUp := 10 * p.Ageing // nine levels, and one that is not whole yet
		for len(q) > 0 {
			i := p.next(q, now, anyFree)
			require.GreaterOrEqual(t, i, 0)
			for j := range q {
				require.False(t, q[j].Since.Add(makesUp).Before(q[i].Since), "seed %d: %v goes before %v", seed, q[i].Since, q[j].Since)
				require.LessOrEqual(t, p.aged(&q[i], now), p.aged(&q[j], now))
			}
			q = slices.Delete(q, i, i+1)
			now = now.Add(time.Duration(rnd.IntN(5)) * time.Second)
		}
	}
}

func TestQueueWithoutAgeingIsStrict(t *testing.T) {
	t.Parallel()
	priorities := []Priority{Urgent, High, Normal, Low}
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var q []Offer
		for i := range 40 {
			q = append(q, waiting(fmt.Sprint("a", i), priorities[rnd.IntN(4)], rnd.IntN(10)))
		}
		want := slices.Clone(q)
		slices.SortStableFunc(want, func(a, b Offer) int {
			if a.Level != b.Level {
				return a.Level - b.Level
			}
			return a.Since.Compare(b.Since)
		})
		var ids []string
		for _, o := range want {
			ids = append(ids, o.Record.ID)
		}
		require.Equal(t, ids, served(QueuePolicy{}, q, queueNow.Add(time.Hour)), seed)
	}
}

func TestQueueClockThatGoesBack(t *testing.T) {
	t.Parallel()
	q := []Offer{waiting("a", Low, 100), waiting("a", Normal, 200)}
	require.Equal(t, 1, QueuePolicy{Ageing: time.Second}.next(q, queueNow, anyFree), "nobody gets younger")
}

func TestNextDue(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return queueNow.Add(time.Duration(s) * time.Second) }
	for name, c := range map[string]struct {
		d    Desk
		want int // 0: nothing is due
	}{
		"nothing":                    {Desk{}, 0},
		"accept":                     {Desk{Queue: []Offer{{Status: PendingAccept, Due: at(30)}}}, 30},
		"approval":                   {Desk{Queue: []Offer{{Status: AwaitingApproval, Due: at(60), Approval: &Approval{Expires: at(60)}}}}, 60},
		"approval without an end":    {Desk{Queue: []Offer{{Status: AwaitingApproval}}}, 0},
		"retry":                      {Desk{Queue: []Offer{{Status: Failed, Next: at(5), Due: at(1)}}}, 5},
		"wait":                       {Desk{Frames: []Frame{{State: FrameWaiting, Wake: at(7)}}}, 7},
		"a wait that is over":        {Desk{Frames: []Frame{{State: FrameRunning, Wake: at(7)}}}, 0},
		"a wait for signals":         {Desk{Frames: []Frame{{State: FrameWaiting}}}, 0},
		"a frame's time":             {Desk{Frames: []Frame{{State: FrameCalling, Begun: at(10), Limits: Limits{Time: 4 * time.Second}}}}, 14},
		"a frame that has not begun": {Desk{Frames: []Frame{{State: FrameCalling, Limits: Limits{Time: 4 * time.Second}}}}, 0},
		"join":                       {Desk{Groups: []Group{{}, {Due: at(9)}}}, 9},
		"parked":                     {Desk{Parked: []Parked{{Queue: []Offer{{Status: PendingAccept, Due: at(3)}}}}}, 0},
		"the earliest": {Desk{
			Queue:  []Offer{{Status: PendingAccept, Due: at(30)}, {Status: Failed, Next: at(25)}},
			Frames: []Frame{{State: FrameWaiting, Wake: at(20)}, {State: FrameWaiting, Wake: at(40)}},
			Groups: []Group{{Due: at(21)}},
		}, 20},
	} {
		got, ok := nextDue(&c.d)
		require.Equal(t, c.want != 0, ok, name)
		if ok {
			require.Equal(t, at(c.want), got, name)
		}
	}
}

func TestBusyAndOffered(t *testing.T) {
	t.Parallel()
	d := &Desk{
		Frames: []Frame{{Agent: "a", State: FrameRunning}, {Agent: "b"}, {Agent: "a", State: FrameCalling}},
		Queue:  []Offer{{To: "a"}, {To: "c"}},
		Parked: []Parked{{Frames: []Frame{{Agent: "a"}}}},
	}
	require.Equal(t, []int{2, 1, 0}, []int{busy(d, "a"), busy(d, "b"), busy(d, "c")})
	require.Equal(t, []int{1, 0, 1}, []int{offered(d, "a"), offered(d, "b"), offered(d, "c")})
}
