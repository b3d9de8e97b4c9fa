package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/graphrun/graphrun/nodes/model"
)

// most is how long an event or a whole answer may be, in bytes.
const most = 64 << 20

var errLong = errors.New("an event of more than 64 MiB")

// Event is an event of a stream, or a whole answer of a server that does not stream.
type Event struct {
	Name  string // as the stream names it; may be empty
	Data  []byte
	Whole bool
}

// Events reads a body: a stream of events, or a JSON text, which is one event.
// Anything else is Malformed. A body that breaks off is Cut; one that just ends
// is no error here. The body is not closed.
func (p *Peer) Events(ctx context.Context, body io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := bufio.NewReader(body)
		first, err := begin(r)
		switch {
		case err != nil:
		case first == '{' || first == '[':
			err = whole(r, yield)
		case streams(r):
			err = stream(r, yield)
		default:
			head, _ := io.ReadAll(io.LimitReader(r, 4<<10))
			err = p.Error(model.Malformed, "the answer is no stream of events: %s", flat(string(head)))
		}
		switch {
		case err == nil || err == io.EOF:
		case err == errLong:
			yield(Event{}, p.Error(model.Malformed, "%s", err))
		default:
			yield(Event{}, p.Lost(ctx, model.Cut, err))
		}
	}
}

// begin skips to the first byte that says something, and returns it.
func begin(r *bufio.Reader) (byte, error) {
	if head, _ := r.Peek(3); string(head) == "\uFEFF" {
		_, _ = r.Discard(3)
	}
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, r.UnreadByte()
		}
	}
}

// streams tells that a stream of events begins.
func streams(r *bufio.Reader) bool {
	head, _ := r.Peek(5)
	for _, field := range []string{"data", "event", "id", "retry", ":"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true
		}
	}
	return false
}

func whole(r io.Reader, yield func(Event, error) bool) error {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	if len(data) > most {
		return errLong
	}
	yield(Event{Data: data, Whole: true}, nil)
	return nil
}

// stream reads events, each of which an empty line ends. The last needs none,
// if it says all that it has to.
func stream(r *bufio.Reader, yield func(Event, error) bool) error {
	var e Event
	var lines int
	for {
		line, err := readLine(r, most-len(e.Data))
		if err != nil && err != io.EOF {
			return err
		}
		if len(line) > 0 {
			lines += e.take(line, lines)
		}
		over := err == io.EOF
		if over && !json.Valid(e.Data) && string(e.Data) != "[DONE]" {
			return err
		}
		if (over || len(line) == 0) && lines > 0 {
			if !yield(e, nil) || over {
				return err
			}
		}
		if over {
			return err
		}
		if len(line) == 0 {
			e, lines = Event{}, 0
		}
	}
}

// take reads one line of an event and returns how many lines of data it was.
func (e *Event) take(line []byte, before int) int {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.Name = string(value)
	case "data":
		if before > 0 {
			e.Data = append(e.Data, '\n')
		}
		e.Data = append(e.Data, value...)
		return 1
	}
	return 0
}

// readLine reads a line without its end. Its bytes are good until the next one.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = longLine(r, line, limit)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
}

func longLine(r *bufio.Reader, head []byte, limit int) ([]byte, error) {
	line := bytes.Clone(head)
	for {
		more, err := r.ReadSlice('\n')
		line = append(line, more...)
		if len(line) > limit {
			return nil, errLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// linger is how long the end of a body is waited for.
const linger = 250 * time.Millisecond

// Finish closes a body whose answer has been read. What little is left of it
// is read, so that the connection can be used again.
func Finish(body io.ReadCloser) {
	stop := time.AfterFunc(linger, func() { _ = body.Close() })
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	stop.Stop()
	_ = body.Close()
}
