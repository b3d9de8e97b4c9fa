package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roleVar tells a process of this test binary what to do in place of testing.
const roleVar = "SQLITE_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play is what another process does: with the file at path, as me.
func play(role, path, me string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, &sqlite.Config{ReadOnly: role == "reader"})
	if err != nil {
		return err
	}
	switch role {
	case "crowd":
		err = crowd(ctx, s, me)
	case "reject", "enqueue", "takeover":
		err = fight(ctx, s, role, me)
	case "endless":
		err = endless(ctx, s, me)
	case "holder":
		err = hold(ctx, s)
	case "reader":
		err = look(ctx, s)
	default:
		err = fmt.Errorf("no such role: %s", role)
	}
	return errors.Join(err, s.Close())
}

// another starts a process that plays a role, and returns what it says.
func another(t *testing.T, role, path, me string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, path, me)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// ack tells which commit was acknowledged.
func ack(thread string, seq int64, body []byte) {
	fmt.Fprintf(os.Stdout, "%s|%d|%s|.\n", thread, seq, body)
}

// acks are the acknowledged commits by thread and number. A line that was cut
// off by a kill is none.
func acks(t *testing.T, lines *bufio.Scanner, into map[string]map[int64]string) {
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "|")
		if len(parts) != 4 || parts[3] != "." {
			continue
		}
		var seq int64
		_, err := fmt.Sscan(parts[1], &seq)
		assert.NoError(t, err)
		if into[parts[0]] == nil {
			into[parts[0]] = map[int64]string{}
		}
		if other, twice := into[parts[0]][seq]; twice && other != parts[2] {
			assert.Failf(t, "acknowledged twice", "thread %s, commit %d: %s, %s", parts[0], seq, other, parts[2])
		}
		into[parts[0]][seq] = parts[2]
	}
}

// extend puts one commit on a thread's head, as it is in the file.
func extend(ctx context.Context, s *sqlite.Store, w checkpoint.Writer, thread, me string) error {
	l, err := s.Load(ctx, checkpoint.Log{Thread: thread}, 0)
	if err != nil {
		return err
	}
	c := checkpoint.Commit{Seq: l.Head + 1, Parent: l.Head, Base: 1, Source: "loop", Body: fmt.Appendf(nil, "%s-%d", me, l.Head+1)}
	if err := w.Append(ctx, []checkpoint.Part{{Head: l.Head, Commits: []checkpoint.Commit{c}}}); err != nil {
		return err
	}
	ack(thread, c.Seq, c.Body)
	return nil
}

// proven checks that every acknowledged commit is in the file, and that no
// two commits go on from the same one.
func proven(t *testing.T, s *sqlite.Store, acked map[string]map[int64]string) {
	t.Helper()
	require.NoError(t, s.Check(t.Context()))
	for thread, commits := range acked {
		listed, err := s.List(t.Context(), checkpoint.Query{Log: checkpoint.Log{Thread: thread}, Bodies: true})
		require.NoError(t, err)
		have := map[int64]string{}
		for i, c := range listed {
			have[c.Seq] = string(c.Body)
			require.Equal(t, c.Seq-1, c.Parent, "thread %s", thread)
			require.EqualValues(t, len(listed)-i, c.Seq, "thread %s has gaps or forks", thread)
		}
		for seq, body := range commits {
			require.Equal(t, body, have[seq], "thread %s, commit %d was acknowledged", thread, seq)
		}
	}
}

// crowd writes to hundreds of threads that others write to as well.
func crowd(ctx context.Context, s *sqlite.Store, me string) error {
	var all sync.WaitGroup
	failures := make(chan error, 200)
	for i := range 200 {
		all.Go(func() {
			thread := fmt.Sprint("thread ", i)
			for range 3 {
				w, err := s.Claim(ctx, thread, checkpoint.Enqueue)
				if err == nil {
					err = errors.Join(extend(ctx, s, w, thread, me), w.Release())
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	return <-failures
}

func TestTwoProcessesShareHundredsOfThreads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "threads.db")
	acked := together(t, "crowd", path)
	require.Len(t, acked, 200)
	for thread, commits := range acked {
		require.Len(t, commits, 6, "thread %s", thread)
	}
	proven(t, open(t, path, nil), acked)
}

// together lets two processes play a role, and returns what was acknowledged.
func together(t *testing.T, role, path string) map[string]map[int64]string {
	t.Helper()
	var mu sync.Mutex
	acked := map[string]map[int64]string{}
	var all sync.WaitGroup
	for _, me := range []string{"ada", "bob"} {
		cmd, lines := another(t, role, path, me)
		all.Go(func() {
			mine := map[string]map[int64]string{}
			acks(t, lines, mine)
			assert.NoError(t, cmd.Wait())
			mu.Lock()
			defer mu.Unlock()
			for thread, commits := range mine {
				for seq, body := range commits {
					if acked[thread] == nil {
						acked[thread] = map[int64]string{}
					}
					other, twice := acked[thread][seq]
					assert.False(t, twice, "thread %s, commit %d: both %s and %s", thread, seq, other, body)
					acked[thread][seq] = body
				}
			}
		})
	}
	all.Wait()
	return acked
}

// fight claims one thread over and over, from several goroutines, and writes
// to it while it has it.
func fight(ctx context.Context, s *sqlite.Store, role, me string) error {
	busy := map[string]checkpoint.Busy{"reject": checkpoint.Reject, "enqueue": checkpoint.Enqueue, "takeover": checkpoint.TakeOver}[role]
	deadline := time.Now().Add(time.Second)
	failures := make(chan error, 4)
	for range 4 {
		go func() {
			for time.Now().Before(deadline) {
				if err := round(ctx, s, busy, me); err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	var all []error
	for range 4 {
		all = append(all, <-failures)
	}
	return errors.Join(all...)
}

// round is one claim with some commits. What may be refused is how the fight
// was announced.
func round(ctx context.Context, s *sqlite.Store, busy checkpoint.Busy, me string) error {
	w, err := s.Claim(ctx, "t", busy)
	if errors.Is(err, checkpoint.ErrBusy) && busy == checkpoint.Reject {
		return nil
	}
	if err != nil {
		return err
	}
	for range 3 {
		if err = extend(ctx, s, w, "t", me); err != nil {
			break
		}
	}
	if errors.Is(err, checkpoint.ErrFenced) && busy == checkpoint.TakeOver {
		<-w.Lost()
		err = nil
	}
	return errors.Join(err, w.Release())
}

func TestTwoProcessesFightForOneThread(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"reject", "enqueue", "takeover"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "threads.db")
			acked := together(t, role, path)
			require.NotEmpty(t, acked["t"])
			proven(t, open(t, path, nil), acked)
		})
	}
}

// endless writes to threads of its own until it is killed.
func endless(ctx context.Context, s *sqlite.Store, me string) error {
	failures := make(chan error)
	for i := range 8 {
		go func() {
			thread := fmt.Sprint("thread ", i)
			w, err := s.Claim(ctx, thread, checkpoint.Reject)
			for err == nil {
				err = extend(ctx, s, w, thread, me)
			}
			failures <- err
		}()
	}
	return <-failures
}

func TestNothingThatWasAcknowledgedIsLostByKills(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "threads.db")
	acked := map[string]map[int64]string{}
	var s *sqlite.Store
	for i := range 32 {
		cmd, lines := another(t, "endless", path, fmt.Sprint("round", i))
		require.True(t, lines.Scan(), "the process writes")
		time.AfterFunc(time.Duration(5+i*3)*time.Millisecond, func() { cmd.Process.Kill() })
		acks(t, lines, acked)
		require.Error(t, cmd.Wait(), "it was killed")
		if s == nil {
			s = open(t, path, nil)
		}
		proven(t, s, acked)
		for j := range 8 {
			w, err := s.Claim(t.Context(), fmt.Sprint("thread ", j), checkpoint.Reject)
			require.NoError(t, err, "a claim dies with its process")
			require.NoError(t, w.Release())
		}
	}
	require.Len(t, acked, 8)
}

// hold claims a thread and keeps it until its input ends.
func hold(ctx context.Context, s *sqlite.Store) error {
	w, err := s.Claim(ctx, "t", checkpoint.Reject)
	if err != nil {
		return err
	}
	if err := extend(ctx, s, w, "t", "holder"); err != nil {
		return err
	}
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	if err := extend(ctx, s, w, "t", "holder"); !errors.Is(err, checkpoint.ErrFenced) {
		return fmt.Errorf("the holder was fenced off, but appending says: %w", err)
	}
	<-w.Lost()
	return w.Release()
}

func TestAStuckProcessIsFencedOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "threads.db")
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, path, "x")
	cmd.Env = append(os.Environ(), roleVar+"=holder")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	s := open(t, path, &sqlite.Config{TakeOverGrace: 50 * time.Millisecond})
	_, err = s.Claim(t.Context(), "t", checkpoint.Reject)
	require.ErrorIs(t, err, checkpoint.ErrBusy)
	_, err = s.Claim(t.Context(), "t", checkpoint.TakeOver)
	require.ErrorIs(t, err, checkpoint.ErrBusy)
	require.ErrorContains(t, err, `thread "t"`)
	require.ErrorContains(t, err, "was fenced off, but has not released it within 50ms")

	time.AfterFunc(20*time.Millisecond, func() { in.Close() })
	w, err := s.Claim(t.Context(), "t", checkpoint.Enqueue)
	require.NoError(t, err)
	require.NoError(t, extend(t.Context(), s, w, "t", "taker"))
	require.NoError(t, w.Release())
	require.NoError(t, cmd.Wait())
}

// look opens the file to read only, in a process that must not write, and
// says what it sees.
func look(ctx context.Context, s *sqlite.Store) error {
	l, err := s.Load(ctx, checkpoint.Log{Thread: "t"}, 0)
	if err == nil {
		fmt.Println(l.Head)
	}
	return err
}
