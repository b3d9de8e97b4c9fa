package handoffs

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var registryNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bcTeam are agents of every sort.
func bcTeam() []Profile {
	return []Profile{
		{ID: "supervisor", System: true},
		{ID: "bc-agent", Name: "BC Agent", Icon: "📊", Color: "#00f", Selectable: true, Capabilities: []string{"sales"}},
		{ID: "rag-agent", Name: "RAG Agent", Selectable: true, Capabilities: []string{"rag_search", "citations"}},
		{ID: "archive", Specialization: "rag_search", Unavailable: true},
		{ID: "librarian", Specialization: "rag_search", Refuses: true},
		{ID: "second", Name: "Second", Specialization: "rag_search"},
	}
}

func profileIDs(ps []*Profile) []string {
	out := []string{}
	for _, p := range ps {
		out = append(out, p.ID)
	}
	return out
}

func TestProfileTitleAndIdentity(t *testing.T) {
	t.Parallel()
	r := MustRegistry(bcTeam()...)
	p, ok := r.Get("bc-agent")
	require.True(t, ok)
	require.Equal(t, Identity{ID: "bc-agent", Name: "BC Agent", Icon: "📊", Color: "#00f"}, p.Identity())
	p, ok = r.Get("archive")
	require.True(t, ok)
	require.Equal(t, Identity{ID: "archive", Name: "archive"}, p.Identity())
}

func TestProfileCapabilities(t *testing.T) {
	t.Parallel()
	p := Profile{ID: "x", Specialization: "deploy", Capabilities: []string{"shell", "git"}}
	for capability, want := range map[string]bool{"deploy": true, "shell": true, "git": true, "": true, "Shell": false, "gi": false} {
		require.Equal(t, want, p.Has(capability), capability)
	}
	require.Nil(t, p.Lacks(nil))
	require.Nil(t, p.Lacks([]string{"git", "deploy"}))
	require.Equal(t, []string{"ssh", "aws"}, p.Lacks([]string{"git", "ssh", "deploy", "aws"}))
}

func TestNewRegistryNamesAllProblems(t *testing.T) {
	t.Parallel()
	r, err := NewRegistry(nil, Profile{ID: "a"}, Profile{Name: "Nameless"}, Profile{ID: "b"}, Profile{ID: "a"},
		Profile{ID: "b"}, Profile{ID: "a"}, Profile{ID: "w", Weight: math.NaN()}, Profile{ID: "c", Cost: math.NaN()}, Profile{ID: "i", Weight: math.Inf(1)})
	require.Nil(t, r)
	require.ErrorIs(t, err, ErrRegistry)
	for _, part := range []string{`profile 2 ("Nameless"): its id is empty`, `id "a" is there more than once`, `id "b" is there more than once`,
		`profile 7 ("w"): its weight is NaN`, `profile 8 ("c"): its cost is not a number`, `profile 9 ("i"): its weight is +Inf`} {
		require.ErrorContains(t, err, part)
	}
	require.Panics(t, func() { MustRegistry(Profile{}) })
}

func TestRegistryGetAllAndLists(t *testing.T) {
	t.Parallel()
	r := MustRegistry(bcTeam()...)
	require.Equal(t, 6, r.Len())
	require.Equal(t, []string{"supervisor", "bc-agent", "rag-agent", "archive", "librarian", "second"}, profileIDs(slices.Collect(r.All())))
	for p := range r.All() {
		require.Equal(t, "supervisor", p.ID)
		break
	}
	require.Equal(t, []string{"bc-agent", "rag-agent"}, profileIDs(r.Selectable()))
	require.Equal(t, []string{"supervisor", "bc-agent", "rag-agent", "archive", "second"}, profileIDs(r.Accepting()))
	require.Equal(t, []string{"rag-agent", "second"}, profileIDs(r.ForCapability("rag_search", registryNow)))
	require.Empty(t, r.ForCapability("quantum", registryNow))
	_, ok := r.Get("BC Agent")
	require.False(t, ok)
}

func TestRegistryAvailable(t *testing.T) {
	t.Parallel()
	r := MustRegistry(bcTeam()...)
	require.True(t, r.Available("second", registryNow))
	require.False(t, r.Available("archive", registryNow))
	require.False(t, r.Available("nobody", registryNow))

	night := func(id string, now time.Time) bool { return id == "archive" && now.Hour() > 20 }
	r, err := NewRegistry(&RegistryConfig{Available: night}, bcTeam()...)
	require.NoError(t, err)
	late := registryNow.Add(10 * time.Hour)
	require.False(t, r.Available("archive", registryNow))
	require.True(t, r.Available("archive", late), "the function has the last word")
	require.False(t, r.Available("second", late))
	require.Equal(t, []string{"archive"}, profileIDs(r.With(Profile{ID: "x"}).ForCapability("rag_search", late)), "With keeps the function")
}

func TestRegistryWithReplaces(t *testing.T) {
	t.Parallel()
	old := MustRegistry(bcTeam()...)
	r := old.With(Profile{ID: "bc-agent", Name: "New BC"}, Profile{ID: "third"}, Profile{ID: "third", Name: "Third"})
	require.NoError(t, r.Err())
	require.Equal(t, []string{"supervisor", "bc-agent", "rag-agent", "archive", "librarian", "second", "third"}, profileIDs(slices.Collect(r.All())))
	p, _ := r.Get("bc-agent")
	require.Equal(t, "New BC", p.Name)
	p, _ = r.Get("third")
	require.Equal(t, "Third", p.Name)
	_, _, ok := r.Lookup("BC Agent")
	require.True(t, ok, "by its id")
	_, _, ok = r.With(Profile{ID: "rag-agent", Name: "Finder"}).Lookup("second ")
	require.True(t, ok)

	p, _ = old.Get("bc-agent")
	require.Equal(t, "BC Agent", p.Name, "the old registry stays as it was")
	require.Equal(t, 6, old.Len())
}

func TestRegistryWithTellsWhatItLeftOut(t *testing.T) {
	t.Parallel()
	r := MustRegistry(Profile{ID: "a"}).With(Profile{Name: "No id"}, Profile{ID: "b"})
	require.Equal(t, []string{"a", "b"}, profileIDs(slices.Collect(r.All())))
	require.ErrorIs(t, r.Err(), ErrRegistry)
	require.ErrorContains(t, r.With(Profile{ID: "c"}).Err(), `profile 1 ("No id"): its id is empty`, "it is not forgotten")
}

func TestRegistrySharesNothingWithItsProfiles(t *testing.T) {
	t.Parallel()
	given := []Profile{{ID: "a", Capabilities: []string{"x"}, Examples: []string{"e"}, Grants: []string{"g"}}}
	r := MustRegistry(given...)
	given[0].ID, given[0].Capabilities[0], given[0].Examples[0], given[0].Grants[0] = "b", "y", "y", "y"
	p, ok := r.Get("a")
	require.True(t, ok)
	require.Equal(t, Profile{ID: "a", Capabilities: []string{"x"}, Examples: []string{"e"}, Grants: []string{"g"}}, *p)
}

func TestNilRegistryHoldsNobody(t *testing.T) {
	t.Parallel()
	for _, r := range []*Registry{nil, {}} {
		_, ok := r.Get("a")
		require.False(t, ok)
		_, near, ok := r.Lookup("a")
		require.False(t, ok)
		require.Empty(t, near)
		require.Zero(t, r.Len())
		require.NoError(t, r.Err())
		require.False(t, r.Available("a", registryNow))
		require.Empty(t, slices.Collect(r.All()))
		require.Empty(t, r.Selectable())
		require.Equal(t, 1, r.With(Profile{ID: "a"}).Len())
	}
}

func TestRegistryLookup(t *testing.T) {
	t.Parallel()
	r := MustRegistry(
		Profile{ID: "rag-agent", Name: "RAG Agent"},
		Profile{ID: "test_specialist", Name: "Tester"},
		Profile{ID: "tester2", Name: "tester"},
		Profile{ID: "Twin", Name: "One"}, Profile{ID: "twin", Name: "Two"},
		Profile{ID: "a1", Name: "Doubled"}, Profile{ID: "a2", Name: "Doubled"},
		Profile{ID: "swap", Name: "swop"}, Profile{ID: "swop", Name: "swap"},
		Profile{ID: "--", Name: ""},
	)
	for _, c := range []struct {
		name, want string
		near       []string
	}{
		{"rag-agent", "rag-agent", nil},
		{"RAG Agent", "rag-agent", nil},
		{"rag_agent", "rag-agent", nil},
		{" Rag  AGENT\n", "rag-agent", nil},
		{"RagAgent", "rag-agent", nil},
		{"rag\u2011agent", "rag-agent", nil}, // a hyphen that does not break lines
		{"Test Specialist", "test_specialist", nil},
		{"Tester", "test_specialist", nil},                     // letter by letter its name
		{"tester", "tester2", nil},                             //
		{"TESTER", "", []string{"test_specialist", "tester2"}}, // one of two
		{"TWIN", "", []string{"Twin", "twin"}},
		{"Doubled", "", []string{"a1", "a2"}},
		{"swap", "swap", nil}, // ids go first
		{"SWAP", "", []string{"swap", "swop"}},
		{"--", "--", nil},
		{"-", "", nil},
		{"", "", nil},
		{"rag-agnet", "", []string{"rag-agent"}}, // near, and never taken
		{"tst specialist", "", []string{"test_specialist"}},
		{"quantum", "", nil},
	} {
		p, near, ok := r.Lookup(c.name)
		require.Equal(t, c.want != "", ok, c.name)
		require.Equal(t, c.near, near, c.name)
		if ok {
			require.Equal(t, c.want, p.ID, c.name)
		} else {
			require.Nil(t, p, c.name)
		}
	}
}

func TestRegistryLookupSuggestsAtMostThree(t *testing.T) {
	t.Parallel()
	var ps []Profile
	for i := range 9 {
		ps = append(ps, Profile{ID: fmt.Sprintf("worker-%d", i), Name: fmt.Sprintf("Worker %d", i)})
	}
	_, near, ok := MustRegistry(ps...).Lookup("worker-x")
	require.False(t, ok)
	require.Equal(t, []string{"worker-0", "worker-1", "worker-2"}, near)
}

func TestRegistryServesManyAtOnce(t *testing.T) {
	t.Parallel()
	r := MustRegistry(bcTeam()...)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			more := r.With(Profile{ID: fmt.Sprint("own", i)})
			for range 50 {
				_, _, ok := more.Lookup("RAG agent")
				_, _, bad := r.Lookup("rag agnet")
				if !ok || bad || r.Len() != 6 || more.Len() != 7 || len(r.ForCapability("rag_search", registryNow)) != 2 {
					t.Error("the registry has changed")
				}
			}
		})
	}
	wg.Wait()
}
