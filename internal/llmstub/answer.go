package llmstub

import (
	"encoding/json"
	"fmt"
	"strings"
)

// answer is a reply with nothing left open.
type answer struct {
	id, model       string
	text, reasoning string
	pad             string // a long line, behind the text
	calls           []Call
	stop            string
	usage           Usage
	fault           Fault
}

// words are the names of one thing on both wires.
var words = []struct{ openai, anthropic string }{
	{"stop", "end_turn"}, {"tool_calls", "tool_use"}, {"length", "max_tokens"}, {"content_filter", "refusal"},
}

// fill answers a request with a reply; n is the number of the answer.
func fill(p *Reply, r *Request, n int64) answer {
	a := answer{id: p.ID, model: p.Model, text: p.Text, reasoning: p.Reasoning, fault: p.Fault, usage: p.Usage}
	a.pad = strings.Repeat("x", min(max(p.Fault.LongLine, 0), maxLine))
	answerID, callID := "chatcmpl-", "call_"
	if r.Wire == Anthropic {
		answerID, callID = "msg_", "toolu_"
	}
	if a.id == "" {
		a.id = fmt.Sprint(answerID, n)
	}
	if a.model == "" {
		a.model = r.Model
	}
	for i, c := range p.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("%s%d_%d", callID, n, i)
		}
		if c.Args == "" {
			c.Args = "{}"
		}
		c.Args += Args(p.Fault.ArgsTail)
		a.calls = append(a.calls, c)
	}
	a.stop = stopWord(p, r.Wire)
	a.count(r)
	return a
}

func stopWord(p *Reply, wire string) string {
	stop := p.Stop
	if stop == "" && len(p.Calls) > 0 {
		stop = "tool_calls"
	}
	if stop == "" {
		stop = "stop"
	}
	for _, w := range words {
		if stop != w.openai && stop != w.anthropic {
			continue
		}
		if wire == Anthropic {
			return w.anthropic
		}
		return w.openai
	}
	return stop
}

// count fills in the usage that the reply does not give.
func (a *answer) count(r *Request) {
	written := len(a.text) + len(a.pad) + len(a.reasoning)
	for _, c := range a.calls {
		written += len(c.Name) + len(c.Args)
	}
	fill := func(n *int, bytes int) {
		if *n == 0 {
			*n = (bytes + 3) / 4
		}
	}
	fill(&a.usage.Input, r.bytes())
	fill(&a.usage.Output, written)
	fill(&a.usage.Reasoning, len(a.reasoning))
}

// deltas are the pieces a text is streamed in: words.
func deltas(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(text, " ")
}

// said are the pieces of the text and of the long line behind it.
func (a *answer) said() []string {
	pieces := deltas(a.text)
	if a.pad != "" {
		pieces = append(pieces, a.pad)
	}
	return pieces
}

const maxLine = 64 << 20 // bytes of Fault.LongLine

const argsPiece = 8 // characters of arguments in one event

// pieces are what arguments are streamed in: a few characters each.
func pieces(args Args) []string {
	var out []string
	runes := []rune(args)
	for len(runes) > argsPiece {
		out, runes = append(out, string(runes[:argsPiece])), runes[argsPiece:]
	}
	return append(out, string(runes))
}

// asJSON is v on one line, without the escapes that are for HTML.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf(`{"error":{"message":%q}}`, "llmstub: "+err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
