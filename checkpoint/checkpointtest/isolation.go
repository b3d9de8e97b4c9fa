package checkpointtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func isolationChecks() []check {
	return []check{
		{"isolation/threads of any names do not meet", isolationThreads},
		{"isolation/namespaces do not meet", isolationSpaces},
		{"isolation/names are told back as they were given", isolationNames},
	}
}

// threadNames are names that a careless store would mix up, in their order.
func threadNames() []string {
	names := []string{
		"a", "aa", "a/b", "a/", "a%", "a_", "A", "ab", "a\x00", "a\x00b", "\x00", " ", "a ", "'", `"`, "a'; drop table commits; --",
		"*", "?", "ä", "a\u0308", "名前", "\U0001f600", "\xff", "\xff\xff", "a\xff", "0", "00", "1", "1.0", "-1", "NULL", "\n", "..", "../a",
		"/", `\`, strings.Repeat("long", 500), strings.Repeat("long", 500) + "er",
	}
	slices.Sort(names)
	return names
}

func isolationThreads(b *bench) {
	names := threadNames()
	for i, name := range names {
		c := whole(int64(i + 1))
		c.Body = []byte(name)
		part := fresh("", c)
		part.Pending = []checkpoint.Pending{{Key: name, Body: []byte(name)}}
		b.begin(name, part)
	}
	gone := len(names) / 2
	require.NoError(b, b.store.Delete(b.ctx, names[gone]))
	for i, name := range names {
		if i == gone {
			b.holds(name, "")
			continue
		}
		l := b.load(name, "", 0)
		require.EqualValues(b, i+1, l.Head, "thread %q", name)
		require.Equal(b, name, string(l.Commits[0].Body))
		require.Equal(b, []checkpoint.Pending{{Key: name, Body: []byte(name)}}, l.Pending, "thread %q", name)
		b.holds(name, "", int64(i+1))
	}
	_, err := b.store.Claim(b.ctx, "", checkpoint.Reject)
	b.refused(err, "a thread without a name", checkpoint.ErrInvalid)
}

// spaces are namespaces as runs within runs have them, in their order.
func spaces() []string {
	all := []string{""}
	for _, at := range []struct {
		seq   int64
		place int
	}{{1, 0}, {1, 1}, {1, 10}, {10, 0}, {2, 0}} {
		ns := checkpoint.Child("", at.seq, at.place)
		all = append(all, ns, checkpoint.Child(ns, 1, 0), checkpoint.Child(ns, 10, 0), checkpoint.Child(checkpoint.Child(ns, 1, 0), 1, 1))
	}
	slices.Sort(all)
	return all
}

func isolationSpaces(b *bench) {
	w := b.claim("t")
	all := spaces()
	for i, ns := range all {
		b.append(w, fresh(ns, whole(int64(i+1)), change(int64(i+2), int64(i+1))))
	}
	for i, ns := range all {
		b.holds("t", ns, int64(i+1), int64(i+2))
	}
	b.append(w, checkpoint.Part{NS: all[3], Head: 5, Commits: []checkpoint.Commit{whole(50)}})
	for i, ns := range all {
		if i != 3 {
			b.holds("t", ns, int64(i+1), int64(i+2))
		}
	}
	b.holds("t", all[3], 4, 5, 50)
	b.holds("other", all[3])
}

func isolationNames(b *bench) {
	names := threadNames()
	for i := range names {
		b.begin(names[len(names)-1-i], fresh("", whole(1)))
	}
	var got []string
	for _, info := range b.logs(checkpoint.LogQuery{}) {
		got = append(got, info.Thread)
	}
	require.Equal(b, fmt.Sprintf("%q", names), fmt.Sprintf("%q", got), "threads in the order of their bytes")
}
