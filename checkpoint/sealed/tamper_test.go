package sealed_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sealed"
)

const secret = "nobody is to read this"

// confidential is a thread with something to hide everywhere.
func confidential(ns string) []checkpoint.Part {
	return []checkpoint.Part{{NS: ns,
		Commits: []checkpoint.Commit{
			{Seq: 1, Base: 1, Source: "input", Meta: []byte(secret + " 1"), Body: []byte(secret + " 2")},
			{Seq: 2, Parent: 1, Base: 1, Step: 1, Source: "loop", Meta: []byte(secret + " 3"), Body: []byte(secret + " 4")},
		},
		Pending: []checkpoint.Pending{{Key: "a", Body: []byte(secret + " 5")}, {Key: "b", Body: []byte(secret + " 6")}},
	}}
}

// write appends parts to a thread that is free.
func write(tb testing.TB, s checkpoint.Store, thread string, parts ...checkpoint.Part) {
	w, err := s.Claim(tb.Context(), thread, checkpoint.Reject)
	require.NoError(tb, err)
	require.NoError(tb, w.Append(tb.Context(), parts))
	require.NoError(tb, w.Release())
}

// stored returns what a store holds of a thread's own log.
func stored(tb testing.TB, s checkpoint.Store, thread string) checkpoint.Part {
	l, err := s.Load(tb.Context(), checkpoint.Log{Thread: thread}, 0)
	require.NoError(tb, err)
	return checkpoint.Part{Commits: l.Commits, Pending: l.Pending}
}

func TestSealedHidesWhatItStores(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	s := sealedBy(t, m, "old")
	write(t, s, "t", confidential("")...)
	require.Equal(t, secret+" 4", string(stored(t, s, "t").Commits[1].Body))
	raw := stored(t, m, "t")
	seen := map[string]bool{}
	for _, blob := range blobs(&raw) {
		require.NotContains(t, string(*blob), "read", "a part of the secret is stored as it is")
		require.False(t, seen[string(*blob)])
		seen[string(*blob)] = true
	}
	require.Len(t, seen, 6)
}

// blobs returns all that is sealed in a part, to be read or changed.
func blobs(p *checkpoint.Part) (all []*[]byte) {
	for i := range p.Commits {
		all = append(all, &p.Commits[i].Meta, &p.Commits[i].Body)
	}
	for i := range p.Pending {
		all = append(all, &p.Pending[i].Body)
	}
	return all
}

// reads reports with what error a thread's own log can be read.
func reads(t *testing.T, s checkpoint.Store, thread string) error {
	log := checkpoint.Log{Thread: thread}
	_, loaded := s.Load(t.Context(), log, 0)
	_, listed := s.List(t.Context(), checkpoint.Query{Log: log, Bodies: true})
	_, logs := s.Logs(t.Context(), checkpoint.LogQuery{Thread: thread})
	return errors.Join(loaded, listed, logs)
}

func TestSealedSeesEveryByteThatChanged(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	s := sealedBy(t, m, "old")
	write(t, s, "t", confidential("")...)
	n := 0
	raw := stored(t, m, "t")
	for i, blob := range blobs(&raw) {
		for at := range *blob {
			for _, change := range [][]byte{
				flip(*blob, at), (*blob)[:at], append(bytes.Clone(*blob), 0),
			} {
				bad := stored(t, m, "t")
				*blobs(&bad)[i] = change
				n++
				tampered := checkpoint.NewMemory(nil)
				write(t, tampered, "t", bad)
				err := reads(t, sealedBy(t, tampered, "new"), "t")
				require.ErrorIs(t, err, checkpoint.ErrCorrupt, "blob %d, byte %d", i, at)
			}
		}
	}
	require.Greater(t, n, 1000)
}

func flip(b []byte, at int) []byte {
	out := bytes.Clone(b)
	out[at] ^= 1 << (at % 8)
	return out
}

func TestSealedKnowsItsPlace(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	s := sealedBy(t, m, "old")
	write(t, s, "t", confidential("")...)
	require.NoError(t, reads(t, s, "t"))
	for what, move := range map[string]func(p *checkpoint.Part){
		"meta as body":             func(p *checkpoint.Part) { p.Commits[0].Body = p.Commits[0].Meta },
		"another commit's body":    func(p *checkpoint.Part) { p.Commits[0].Body = p.Commits[1].Body },
		"another commit's meta":    func(p *checkpoint.Part) { p.Commits[1].Meta = p.Commits[0].Meta },
		"no meta":                  func(p *checkpoint.Part) { p.Commits[1].Meta = nil },
		"no body":                  func(p *checkpoint.Part) { p.Commits[0].Body = []byte{} },
		"another step":             func(p *checkpoint.Part) { p.Commits[1].Step = 7 },
		"another source":           func(p *checkpoint.Part) { p.Commits[1].Source = "fork" },
		"another parent":           func(p *checkpoint.Part) { p.Commits[1].Parent = 0 },
		"another number":           func(p *checkpoint.Part) { p.Commits[1].Seq = 3 },
		"another entry":            func(p *checkpoint.Part) { p.Pending[0].Body = p.Pending[1].Body },
		"another key":              func(p *checkpoint.Part) { p.Pending[0].Key = "c" },
		"an entry behind another":  func(p *checkpoint.Part) { p.Commits = p.Commits[:1] },
		"a body as an entry":       func(p *checkpoint.Part) { p.Pending[0].Body = p.Commits[1].Body },
		"an entry as it was given": func(p *checkpoint.Part) { p.Pending[0].Body = []byte(secret) },
	} {
		bad := stored(t, m, "t")
		move(&bad)
		tampered := checkpoint.NewMemory(nil)
		write(t, tampered, "t", bad)
		require.ErrorIs(t, reads(t, sealedBy(t, tampered, "old"), "t"), checkpoint.ErrCorrupt, what)
	}
}

func TestSealedIsOfItsThreadAndNamespace(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	s := sealedBy(t, m, "old")
	write(t, s, "t", confidential("")...)
	require.NoError(t, m.Copy(t.Context(), "t", "u"))
	require.ErrorIs(t, reads(t, s, "u"), checkpoint.ErrCorrupt, "a thread that was moved in the store")
	moved := stored(t, m, "t")
	moved.NS = checkpoint.Child("", 1, 0)
	write(t, m, "t", moved)
	_, err := s.Load(t.Context(), checkpoint.Log{Thread: "t", NS: moved.NS}, 0)
	require.ErrorIs(t, err, checkpoint.ErrCorrupt, "a log that was moved in the store")
}

func TestSealedKeysChange(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	write(t, sealedBy(t, m, "old"), "t", confidential("")...)
	rotated := sealedBy(t, m, "new")
	write(t, rotated, "t", checkpoint.Part{Head: 2, Commits: []checkpoint.Commit{{Seq: 3, Parent: 2, Base: 1, Body: []byte("newer")}}})
	require.NoError(t, reads(t, rotated, "t"))
	require.NoError(t, rotated.Copy(t.Context(), "t", "u"))
	only, err := sealed.New(m, &sealed.Config{Key: "new", Keys: map[string][]byte{"new": newKey()}})
	require.NoError(t, err)
	require.NoError(t, reads(t, only, "u"), "a copy needs the new key alone")
	err = reads(t, only, "t")
	require.ErrorIs(t, err, sealed.ErrKey)
	require.NotErrorIs(t, err, checkpoint.ErrCorrupt)
	require.ErrorContains(t, err, `sealed with key "old", which is not among the keys ["new"]`)
	other, err := sealed.New(m, &sealed.Config{Key: "old", Keys: map[string][]byte{"old": newKey(), "new": newKey()}})
	require.NoError(t, err)
	err = reads(t, other, "t")
	require.ErrorIs(t, err, sealed.ErrKey)
	require.ErrorContains(t, err, `the key that is called "old" here is not the one that sealed it`)
}

func TestSealedConfigTellsAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := sealed.New(nil, &sealed.Config{})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	_, err = sealed.NewItems(nil, &sealed.Config{})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	for _, cfg := range []*sealed.Config{nil, {}} {
		_, err = sealed.New(checkpoint.NewMemory(nil), cfg)
		require.ErrorIs(t, err, checkpoint.ErrInvalid)
		_, err = sealed.NewItems(checkpoint.NewMemoryItems(nil), cfg)
		require.ErrorIs(t, err, checkpoint.ErrInvalid)
	}
	_, err = sealed.New(checkpoint.NewMemory(nil), &sealed.Config{Key: "k", Keys: map[string][]byte{"short": {1}, "": newKey(), "none": nil}})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	for _, part := range []string{`key "short" has 1 bytes, not 32`, `key "none" has 0 bytes`, `the id of key ""`, `key "k", which is to seal, is not among the keys ["none" "short"]`} {
		require.ErrorContains(t, err, part)
	}
	keys := map[string][]byte{"k": newKey()}
	m := checkpoint.NewMemory(nil)
	s, err := sealed.New(m, &sealed.Config{Key: "k", Keys: keys})
	require.NoError(t, err)
	write(t, s, "t", confidential("")...)
	clear(keys["k"])
	delete(keys, "k")
	require.NoError(t, reads(t, s, "t"), "a config that is changed afterwards")
}

func TestSealedRefusesRows(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	s := sealedBy(t, m, "old")
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	c := checkpoint.Commit{Seq: 1, Base: 1, Index: []checkpoint.Row{{Table: "answers", Key: "a"}}}
	err = w.Append(t.Context(), []checkpoint.Part{{Commits: []checkpoint.Commit{c}}})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	require.ErrorContains(t, err, "commit 1 has 1 rows, which would be stored unsealed; PlainRows allows that")
	require.Zero(t, len(stored(t, m, "t").Commits))
	c.Index = nil
	require.NoError(t, w.Append(t.Context(), []checkpoint.Part{{Commits: []checkpoint.Commit{c}}}))
	c.Index = []checkpoint.Row{{Table: "answers", Key: "a"}}
	require.ErrorIs(t, w.Prune(t.Context(), "", &c), checkpoint.ErrInvalid)
}

func TestSealedCopyKeepsTimes(t *testing.T) {
	t.Parallel()
	clock := checkpointtest.NewClock(time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC))
	m := checkpoint.NewMemory(&checkpoint.MemoryConfig{Now: clock.Now})
	s := sealedBy(t, m, "old")
	first := clock.Now()
	write(t, s, "t", confidential("")...)
	clock.Advance(time.Hour)
	require.NoError(t, s.Copy(t.Context(), "t", "u"))
	require.NoError(t, s.Copy(t.Context(), "u", "v"))
	write(t, s, "v", checkpoint.Part{Head: 2, Commits: []checkpoint.Commit{{Seq: 3, Parent: 2, Base: 1}}})
	w, err := s.Claim(t.Context(), "v", checkpoint.Reject)
	require.NoError(t, err)
	require.NoError(t, w.Prune(t.Context(), "", &checkpoint.Commit{Seq: 2, Parent: 1, Base: 2, Body: []byte("whole")}))
	l, err := s.Load(t.Context(), checkpoint.Log{Thread: "v"}, 0)
	require.NoError(t, err)
	require.Len(t, l.Commits, 2)
	require.True(t, l.Commits[0].At.Equal(first), "a commit that was copied and pruned is of %v", l.Commits[0].At)
	require.True(t, l.Commits[1].At.Equal(clock.Now()), "a commit behind a copy is of %v", l.Commits[1].At)
}

func TestSealedCopyIsAllOrNothingWhateverFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store is gone")
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			m := checkpoint.NewMemory(nil)
			write(t, sealedBy(t, m, "old"), "t", append(confidential(""), confidential(checkpoint.Child("", 1, 0))...)...)
			f := checkpointtest.NewFailing(m)
			f.FailAt(n, broken, after)
			err := sealedBy(t, f, "old").Copy(t.Context(), "t", "u")
			if f.Count() < n {
				require.NoError(t, err)
				require.Greater(t, n, 10)
				return
			}
			require.ErrorIs(t, err, broken, "call %d, %v", n, f.Calls())
			infos, err := sealedBy(t, m, "old").Logs(t.Context(), checkpoint.LogQuery{Thread: "u"})
			require.NoError(t, err)
			require.Contains(t, []int{0, 2}, len(infos), "call %d left half a copy", n)
			require.NoError(t, reads(t, sealedBy(t, m, "old"), "u"))
		}
	}
}

// restless is a store whose thread "t" moves on whenever somebody asks for
// logs.
type restless struct {
	checkpoint.Store
	w    checkpoint.Writer
	head int64
}

func (r *restless) Logs(ctx context.Context, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
	r.head++
	commits := []checkpoint.Commit{{Seq: r.head, Base: r.head}}
	if err := r.w.Append(ctx, []checkpoint.Part{{Head: r.head - 1, Commits: commits}}); err != nil {
		return nil, err
	}
	return r.Store.Logs(ctx, q)
}

func TestSealedCopyOfAThreadThatNeverStandsStill(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	w, err := sealedBy(t, m, "old").Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	err = sealedBy(t, &restless{Store: m, w: w}, "old").Copy(t.Context(), "t", "u")
	require.ErrorIs(t, err, checkpoint.ErrBusy)
	require.Empty(t, stored(t, m, "u").Commits)
}

func TestSealedCopyRefusesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemory(nil)
	write(t, sealedBy(t, m, "old"), "t", confidential("")...)
	for i := range 6 {
		bad := stored(t, m, "t")
		blob := blobs(&bad)[i]
		*blob = flip(*blob, len(*blob)-1)
		tampered := checkpoint.NewMemory(nil)
		write(t, tampered, "t", bad)
		s := sealedBy(t, tampered, "old")
		require.ErrorIs(t, s.Copy(t.Context(), "t", "u"), checkpoint.ErrCorrupt, "blob %d", i)
		require.Empty(t, stored(t, tampered, "u").Commits)
		w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
		require.NoError(t, err)
		err = w.Prune(t.Context(), "", &checkpoint.Commit{Seq: 1, Base: 1})
		require.Equal(t, i == 0, errors.Is(err, checkpoint.ErrCorrupt), "only a meta that cannot be read keeps a commit from being pruned: %v", err)
	}
}
