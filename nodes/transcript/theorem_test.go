package transcript_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

var transcripts = flag.Int("transcripts", 5000, "how many transcripts TestEveryProjectionIsValid makes")

// TestEveryProjectionIsValid makes arbitrary conversations and projects each by
// a policy, and every profile, half of them for a view.
func TestEveryProjectionIsValid(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(policies()))
	kinds, kept := map[transcript.Kind]int{}, 0
	for n := range *transcripts {
		d := &dice{bytes: make([]byte, 20+rng.IntN(240))}
		for i := range d.bytes {
			d.bytes[i] = byte(rng.Uint32())
		}
		p, v := d.profile(), d.view()
		if n%2 == 0 { // only without a view it can be told what must be repaired
			v = transcript.View{}
		}
		messages := policies()[names[n%len(names)]](d.transcript())
		for _, p := range append(slices.Collect(maps.Values(profiles())), p) {
			sent, repairs := proves(t, messages, p, v)
			_, more := proves(t, d.edit(sent), p, v)
			for _, r := range append(repairs, more...) {
				kinds[r.Kind]++
			}
			if transcript.Check(messages, p) == nil {
				kept++
			}
		}
	}
	require.Len(t, kinds, 21, "the conversations need every kind of repair: %v", kinds)
	require.Positive(t, kept, "some conversations are valid as they are")
}

func FuzzProject(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03"))
	f.Add([]byte("a conversation of calls and results, cut in the middle"))
	f.Add([]byte{1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 2, 0, 0, 0, 0, 3, 3, 3, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &dice{bytes: b}
		p, v := d.profile(), d.view()
		messages := d.transcript()
		for _, p := range append(slices.Collect(maps.Values(profiles())), p) {
			sent, _ := proves(t, messages, p, v)
			proves(t, d.edit(sent), p, v)
		}
	})
}

// proves projects messages and checks everything that holds of projections.
func proves(t *testing.T, messages []state.Message, p *transcript.Profile, v transcript.View) ([]state.Message, []transcript.Repair) {
	t.Helper()
	before := deepClone(messages)
	sent, repairs := v.Project(messages, p)
	require.True(t, reflect.DeepEqual(before, messages), "the input was changed")
	fail := func(what string, more ...any) {
		require.Fail(t, what, "profile %+v view %+v\nfrom %+v\nto %+v\nrepairs %v\n%v", p, v, before, sent, repairs, more)
	}
	if err := transcript.Check(sent, p); err != nil {
		fail("not valid", err)
	}
	if again, more := v.Project(sent, p); len(more) > 0 || !reflect.DeepEqual(again, sent) {
		fail("a projection of a projection is another", more, again)
	}
	if v == (transcript.View{}) {
		valid := transcript.Check(messages, p) == nil
		if valid != (len(repairs) == 0) || valid && !reflect.DeepEqual(sent, messages) {
			fail("only what is valid is left alone", valid)
		}
	}
	if *p == (transcript.Profile{}) {
		for name, p := range profiles() {
			if err := transcript.Check(sent, p); err != nil {
				fail("what is valid for the strictest profile is not so for "+name, err)
			}
		}
	}
	keepsLastWord(t, messages, sent)
	return sent, repairs
}

// deepClone copies messages to the last byte.
func deepClone(messages []state.Message) []state.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].Content = slices.Clone(out[i].Content)
		for k := range out[i].Content {
			out[i].Content[k].Data = slices.Clone(out[i].Content[k].Data)
		}
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for k := range out[i].ToolCalls {
			out[i].ToolCalls[k].Args = slices.Clone(out[i].ToolCalls[k].Args)
		}
	}
	return out
}

// keepsLastWord checks that what a human said last is in the projection.
func keepsLastWord(t *testing.T, messages, sent []state.Message) {
	t.Helper()
	for _, m := range slices.Backward(messages) {
		if m.Role != state.RoleHuman || strings.TrimSpace(m.Text()) == "" {
			continue
		}
		var texts []state.Part
		for _, s := range sent {
			if s.Role == state.RoleHuman {
				texts = append(texts, s.Content...)
			}
		}
		for _, part := range m.Content {
			if part.Type != "text" || strings.TrimSpace(part.Text) == "" {
				continue
			}
			i := slices.IndexFunc(texts, func(p state.Part) bool { return p.Type == "text" && p.Text == part.Text })
			require.GreaterOrEqual(t, i, 0, "%q of the last human message was lost", part.Text)
			texts = texts[i+1:]
		}
		return
	}
}
