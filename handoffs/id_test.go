package handoffs

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestNewIDIsAUUIDOfVersion5(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		id := newID(false, "session", "task", strconv.Itoa(i))
		u, err := uuid.Parse(id)
		require.NoError(t, err)
		require.Equal(t, uuid.Version(5), u.Version())
		require.Equal(t, uuid.RFC4122, u.Variant())
		require.Equal(t, u.String(), id)
		require.Equal(t, strings.ToUpper(id), newID(true, "session", "task", strconv.Itoa(i)))
	}
}

// The ids of stored sessions must stay as they are.
func TestNewIDStaysTheSame(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1f08d296-1eaf-5ee7-a745-ae1a39e65390", newID(false))
	require.Equal(t, "6d42386e-1916-567e-a196-22369a875abb", newID(false, "s", "t", "1"))
	require.Equal(t, "6D42386E-1916-567E-A196-22369A875ABB", newID(true, "s", "t", "1"))
	require.Equal(t, "29565d48-80ab-567e-b8f0-840c11d81ed3", newID(false, strings.Repeat("long", 1000)))
}

func TestNewIDTellsPartsApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"a", "b", "c"}, {"c", "b", "a"}, {"\x01a"}, {"", "\x01a"}} {
		id := newID(false, parts...)
		require.Nil(t, seen[id], "%q and %q", parts, seen[id])
		seen[id] = append(parts, "seen")
	}
	for i := range 20_000 {
		id := newID(false, "s", strconv.Itoa(i))
		require.Nil(t, seen[id])
		seen[id] = []string{id}
	}
}

func TestNewIDAllocatesItsStringAlone(t *testing.T) {
	require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { sinkID = newID(true, "session", "0190a3f4-7c00-7000-8000-000000000000", "12") }))
}

func TestHashShareIsSpreadEvenly(t *testing.T) {
	t.Parallel()
	var tenths [10]int
	for i := range 10_000 {
		x := hashShare(strconv.Itoa(i))
		require.True(t, x >= 0 && x < 1)
		tenths[int(x*10)]++
	}
	for _, n := range tenths {
		require.InDelta(t, 1000, n, 150)
	}
}

var sinkID string

func BenchmarkNewID(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sinkID = newID(true, "session", "0190a3f4-7c00-7000-8000-000000000000", "12")
	}
}
