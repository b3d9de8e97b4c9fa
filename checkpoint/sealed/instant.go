package sealed

import "time"

// instant is a time without the pointer to a zone.
type instant struct {
	second int64 // of the Unix era
	nano   int64 // below a second
}

func instantOf(t time.Time) instant { return instant{t.Unix(), int64(t.Nanosecond())} }

func (i instant) time() time.Time { return time.Unix(i.second, i.nano) }
