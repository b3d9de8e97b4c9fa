package handoffs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// diceBytes turns bytes into choices; at their end all are 0.
type diceBytes []byte

func (d *diceBytes) below(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

// transcript makes a conversation of any shape, also wrong ones.
func (d *diceBytes) transcript() []state.Message {
	ids := []string{"a", "b", "c", ""}
	var ms []state.Message
	for i := range d.below(24) {
		id := fmt.Sprint("m", i)
		if d.below(8) == 0 {
			id = ""
		}
		text := strings.Repeat("x", d.below(40))
		switch d.below(6) {
		case 0:
			ms = append(ms, said(id, state.RoleHuman, "", text))
		case 1:
			ms = append(ms, said(id, state.RoleAI, ids[d.below(4)], text))
		case 2:
			m := calling(id, ids[d.below(4)], text)
			for range 1 + d.below(3) {
				m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: ids[d.below(4)], Name: "t", Args: json.RawMessage(`{"n":1}`)})
			}
			ms = append(ms, m)
			for _, c := range m.ToolCalls[:d.below(len(m.ToolCalls)+1)] {
				ms = append(ms, answering(id+c.ID, c.ID, text))
			}
		case 3, 4:
			ms = append(ms, answering(id, ids[d.below(4)], text))
		default:
			ms = append(ms, said(id, state.RoleSystem, "", text))
		}
	}
	return ms
}

func (d *diceBytes) policy(ms []state.Message) ContextPolicy {
	modes := []ContextMode{"", ContextFull, ContextLast, ContextFields, ContextArtifacts, ContextSummary, ContextBrief, ContextNone, ContextCustom}
	p := ContextPolicy{
		Mode: modes[d.below(len(modes))], Last: d.below(9) - 1, Tokens: d.below(64) * d.below(3), PinFirst: d.below(3) == 0,
		Summarize: func(ms []state.Message) (string, error) { return fmt.Sprint(len(ms)), nil },
		Custom:    func(in ContextInput) ([]state.Message, error) { return in.Messages[len(in.Messages)/2:], nil },
	}
	for range d.below(3) {
		if len(ms) > 0 {
			p.Pinned = append(p.Pinned, ms[d.below(len(ms))].ID)
		}
	}
	return p
}

func (d *diceBytes) input(ms []state.Message) ContextInput {
	in := ContextInput{Messages: ms, Turn: Turn{Agent: "a", Task: strings.Repeat("t", d.below(12)), Payload: map[string]any{"k": int64(1)}}}
	if d.below(2) == 0 {
		in.Turn.Context = &Sent{Until: d.below(len(ms) + 2)}
	}
	return in
}

// checkProjection says what holds of every projection.
func checkProjection(t require.TestingT, data []byte) {
	d := diceBytes(data)
	ms := d.transcript()
	p, in := d.policy(ms), d.input(ms)
	before := fmt.Sprintf("%+v", ms)
	out, sent, err := p.Project(in)
	require.Equal(t, before, fmt.Sprintf("%+v", ms), "the conversation does not change")
	if err != nil {
		require.True(t, errors.Is(err, ErrContextBudget) && p.Tokens > 0, "%v", err)
		return
	}
	requirePaired(t, out)
	again, same, err := p.Project(in)
	require.NoError(t, err)
	require.Equal(t, out, again)
	require.Equal(t, sent, same)
	requireFits(t, &p, out)
	requirePinned(t, &p, &in, out)
	requireRange(t, &sent, ms)
	if p.Tokens > 0 {
		larger := p
		larger.Tokens += 1 + d.below(40)
		more, _, err := larger.Project(in)
		require.NoError(t, err)
		requireContains(t, more, out)
	}
}

func requireFits(t require.TestingT, p *ContextPolicy, out []state.Message) {
	if p.Tokens <= 0 {
		return
	}
	sum := 0
	for i := range out {
		sum += messageTokens(&out[i], p.count(), 1<<40)
	}
	require.LessOrEqual(t, sum, p.Tokens)
}

// requirePinned wants the pinned messages to be there that can be.
func requirePinned(t require.TestingT, p *ContextPolicy, in *ContextInput, out []state.Message) {
	base, _ := in.split()
	can, _ := pairMessages(base)
	there := map[string]bool{}
	for i := range out {
		there[out[i].ID] = true
	}
	first := p.PinFirst
	for i := range can {
		m := &can[i]
		pinned := slices.Contains(p.Pinned, m.ID) || first && m.Role == state.RoleHuman
		first = first && m.Role != state.RoleHuman
		require.True(t, !pinned || m.ID == "" || there[m.ID], "pinned message %q is missing", m.ID)
	}
}

func requireRange(t require.TestingT, sent *Sent, ms []state.Message) {
	require.True(t, 0 <= sent.From && sent.From <= sent.Until && sent.Until == len(ms), "%+v of %d", sent, len(ms))
	require.True(t, 0 <= sent.Left && sent.Left <= len(ms), "%+v of %d", sent, len(ms))
}

// requireContains wants all messages with an id to be in more, in their order.
func requireContains(t require.TestingT, more, out []state.Message) {
	i := 0
	for _, m := range out {
		if m.ID == "" {
			continue
		}
		for i < len(more) && more[i].ID != m.ID {
			i++
		}
		require.Less(t, i, len(more), "message %q is lost with a larger budget", m.ID)
	}
}

func TestProjectionsOfAnything(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		data := make([]byte, random.IntN(160))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		checkProjection(t, data)
	}
}

func FuzzProject(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("some bytes that make a short conversation, and a policy for it"))
	f.Fuzz(func(t *testing.T, data []byte) { checkProjection(t, data) })
}
