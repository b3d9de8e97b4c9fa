package handoffs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/graphrun/graphrun/state"
)

// measureContext tells hash, size and tokens of messages. The hash is of what
// an agent reads: roles, names, contents and calls, neither ids nor times.
func measureContext(ms []state.Message, count func(string) int, sent *Sent) {
	h := sha256.New()
	buf := make([]byte, 0, 4096)
	for i := range ms {
		m := &ms[i]
		if len(buf) > 3000 {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = appendHashed(buf, m)
		sent.Bytes += messageBytes(m)
		if n := messageTokens(m, count, math.MaxInt-1-sent.Tokens); n < math.MaxInt-sent.Tokens {
			sent.Tokens += n
		}
	}
	h.Write(buf)
	sent.Hash = hex.EncodeToString(h.Sum(buf[:0])[:16])
}

// appendHashed writes a message for its hash: each part with its length, so that
// different messages are different bytes.
func appendHashed(dst []byte, m *state.Message) []byte {
	for _, text := range [...]string{string(m.Role), m.Name, m.ToolCallID, m.Status} {
		dst = appendSized(dst, text)
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.Content)))
	for i := range m.Content {
		p := &m.Content[i]
		for _, text := range [...]string{p.Type, p.Text, p.URL, p.MIME} {
			dst = appendSized(dst, text)
		}
		dst = appendSized(dst, p.Data)
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.ToolCalls)))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		dst = appendSized(appendSized(appendSized(dst, c.ID), c.Name), c.Args)
	}
	return dst
}

func appendSized[T ~string | ~[]byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// messageBytes returns the size of a message's contents and calls.
func messageBytes(m *state.Message) int {
	n := 0
	for i := range m.Content {
		p := &m.Content[i]
		n += len(p.Text) + len(p.URL) + len(p.Data)
	}
	for i := range m.ToolCalls {
		n += len(m.ToolCalls[i].Name) + len(m.ToolCalls[i].Args)
	}
	return n
}

// rangeHash tells which messages a whole conversation has without reading
// them: it is of how many there are and of the first and last one.
func rangeHash(ms []state.Message) string {
	buf := binary.AppendUvarint(make([]byte, 0, 256), uint64(len(ms)))
	if len(ms) > 0 {
		first, last := &ms[0], &ms[len(ms)-1]
		buf = appendSized(appendSized(buf, first.ID), last.ID)
		buf = appendSized(buf, string(last.Role))
		buf = binary.AppendUvarint(buf, uint64(messageBytes(last)))
	}
	return "ids:" + shortHash(buf)
}
