package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// post is what leaves a process for others: a bus and a trace that outlive it,
// and a note of how far the log was told, which is kept behind the telling.
type post struct {
	dir   string
	lines int // how many were written by this process
}

func (p *post) Publish(_ context.Context, m bus.Message) error { return p.send("message", m.ID, m) }

func (p *post) Log(_ context.Context, e handoffs.TraceEvent) error { return p.send("event", e.ID, e) }

func (*post) Subscribe(context.Context, bus.Filter) (iter.Seq[bus.Message], error) {
	return nil, errors.New("nobody subscribes here")
}

// send writes a line: what it is, its id, and all that it says.
func (p *post) send(what, id string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if p.lines == 0 {
		if err := p.mend(); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(p.sentPath(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s\t%s\n", what, id, text)
	p.lines++
	return errors.Join(err, f.Close())
}

// sentPath is the file with all that was sent, a line each.
func (p *post) sentPath() string { return filepath.Join(p.dir, "sent") }

// mend cuts off what a process that was killed wrote of its last line: a kill may
// fall between two pages of one write. Nobody has read a line without its end, and
// how far the log was told is kept behind the line: it comes again as a whole.
func (p *post) mend() error {
	data, err := os.ReadFile(p.sentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; err == nil && whole < len(data) {
		err = os.Truncate(p.sentPath(), int64(whole))
	}
	return err
}

// told is how far the log was told.
func (p *post) told() (int, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "told"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}

// keep notes how far the log was told, as a whole or not at all.
func (p *post) keep(next int) error {
	fresh := filepath.Join(p.dir, "told.new")
	if err := os.WriteFile(fresh, []byte(strconv.Itoa(next)), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(p.dir, "told"))
}

// sent returns what others were told, each id once, in order, and how many
// lines came again. That one id says two things is an error.
func (p *post) sent() (lines []string, again int, err error) {
	data, err := os.ReadFile(p.sentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(data)) {
		id, text, whole := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		before, known := seen[id]
		switch {
		case !whole || !strings.HasSuffix(line, "\n") || strings.HasSuffix(id, " "):
			err = errors.Join(err, fmt.Errorf("the post has the line %q", line))
		case !known:
			seen[id] = text
			lines = append(lines, id+" "+text)
		case before != text:
			err = errors.Join(err, fmt.Errorf("%s says two things:\n%s\n%s", id, before, text))
		default:
			again++
		}
	}
	return lines, again, err
}

// TestALineOfThePostThatWasCutOffComesAgain: behind a kill in the middle of a
// line the next process sends it as a whole.
func TestALineOfThePostThatWasCutOffComesAgain(t *testing.T) {
	t.Parallel()
	first := &post{dir: t.TempDir()}
	require.NoError(t, first.send("message", "1", "one"))
	f, err := os.OpenFile(first.sentPath(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("message 2\t\"t")
	require.NoError(t, errors.Join(err, f.Close()))
	_, _, err = first.sent()
	require.ErrorContains(t, err, "the post has the line")

	next := &post{dir: first.dir}
	require.NoError(t, next.send("message", "2", "two"))
	lines, again, err := next.sent()
	require.NoError(t, err)
	require.Equal(t, []string{`message 1 "one"`, `message 2 "two"`}, lines)
	require.Zero(t, again)
}
