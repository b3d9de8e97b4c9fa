package checkpoint

import "time"

// clockHolds is how long a reading of the system's clock is good for.
const clockHolds = time.Second

// clock tells the time to one goroutine at a time. Between readings of the
// system's clock it counts on by the steady one, which takes half as long:
// after the system's clock was set, or the machine slept, it is behind for a
// second at most.
type clock struct {
	now  func() time.Time // nil: the system's
	read time.Time        // the last reading
	at   instant          // the same
}

// instant is a time without the pointer to a zone.
type instant struct {
	second int64 // of the Unix era
	nano   int64 // below a second
}

func instantOf(t time.Time) instant { return instant{t.Unix(), int64(t.Nanosecond())} }

func (i instant) time() time.Time { return time.Unix(i.second, i.nano) }

func (c *clock) time() instant {
	if c.now != nil {
		return instantOf(c.now())
	}
	if gone := time.Since(c.read); gone < clockHolds && c.at != (instant{}) {
		at := instant{c.at.second, c.at.nano + int64(gone)}
		if at.nano >= int64(time.Second) {
			at.second, at.nano = at.second+1, at.nano-int64(time.Second)
		}
		return at
	}
	c.read = time.Now()
	c.at = instantOf(c.read)
	return c.at
}
