package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
)

// box seals and opens what belongs to one thread or one item. Each has a key
// of its own, drawn from the keyring's, so that nothing can be opened as part
// of another one, and random nonces do not run out. Seal may be called by many
// goroutines, open by one at a time.
type box struct {
	ring  *keyring
	scope string
	seals cipher.AEAD
	opens map[*sealKey]cipher.AEAD
}

func newBox(ring *keyring, scope string) (*box, error) {
	b := &box{ring: ring, scope: scope, opens: map[*sealKey]cipher.AEAD{}}
	var err error
	b.seals, err = b.cipher(ring.current)
	return b, err
}

// cipher returns the cipher of the box under a key.
func (b *box) cipher(key *sealKey) (cipher.AEAD, error) {
	if c := b.opens[key]; c != nil {
		return c, nil
	}
	own, err := hkdf.Key(sha256.New, key.secret, nil, "graphrun checkpoint "+b.scope, KeySize)
	if err != nil {
		return nil, fmt.Errorf("sealed: key %q: %w", key.id, err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, fmt.Errorf("sealed: key %q: %w", key.id, err)
	}
	c, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("sealed: key %q: %w", key.id, err)
	}
	b.opens[key] = c
	return c, nil
}

// seal returns something sealed for one place, at which alone it opens.
func (b *box) seal(place, plain []byte) []byte {
	header := b.ring.current.header
	out := make([]byte, 0, len(header)+b.seals.Overhead()+len(plain))
	return b.seals.Seal(append(out, header...), nil, plain, place)
}

// open returns what was sealed for a place. What it was not sealed for, or
// what was changed, is ErrCorrupt; a key that is missing is ErrKey.
func (b *box) open(place, sealed []byte) ([]byte, error) {
	key, rest, err := b.ring.find(sealed)
	if err != nil {
		return nil, err
	}
	c, err := b.cipher(key)
	if err != nil {
		return nil, err
	}
	plain, err := c.Open([]byte{}, nil, rest, place)
	if err != nil {
		return nil, fmt.Errorf("%w: it was changed, or sealed for another place (key %q)", checkpoint.ErrCorrupt, key.id)
	}
	return plain, nil
}

// place returns the bytes that stand for a place: what it is, and what is
// known about it besides, each with its length.
func place(kind, ns string, numbers []int64, texts ...string) []byte {
	out := appendText(make([]byte, 0, 64), kind)
	out = appendText(out, ns)
	for _, n := range numbers {
		out = binary.AppendVarint(out, n)
	}
	for _, t := range texts {
		out = appendText(out, t)
	}
	return out
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
