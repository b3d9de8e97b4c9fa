package handoffs

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
)

// idSpace is the namespace of ids: that of this package's own names.
const idSpace = "\x5f\x0b\xa7\x3e\x91\x4c\x5d\x2a\x8e\x66\xc1\x9d\x42\x07\xf3\xb8"

// idRoom is how many bytes of parts are hashed without an allocation.
const idRoom = 512

// newID returns a UUID of version 5 that parts give: always the same of the
// same parts in the same order.
func newID(upper bool, parts ...string) string { return idText(hashParts(parts), upper) }

// newDataID is newID of parts and data behind them.
func newDataID(data []byte, parts ...string) string {
	var room [idRoom]byte
	return idText(sha1.Sum(appendPart(appendParts(room[:0], parts), data)), false)
}

// idText writes a hash as an id.
func idText(sum [sha1.Size]byte, upper bool) string {
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], sum[0:4])
	hex.Encode(text[9:13], sum[4:6])
	hex.Encode(text[14:18], sum[6:8])
	hex.Encode(text[19:23], sum[8:10])
	hex.Encode(text[24:36], sum[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	if upper {
		for i, c := range text {
			if c >= 'a' {
				text[i] = c - 'a' + 'A'
			}
		}
	}
	return string(text[:])
}

// hashParts hashes parts with their lengths, so that no two lists of parts are
// written alike. It is for names and draws, not for secrets.
func hashParts(parts []string) [sha1.Size]byte {
	var room [idRoom]byte
	return sha1.Sum(appendParts(room[:0], parts))
}

func appendParts(dst []byte, parts []string) []byte {
	dst = append(dst, idSpace...)
	for _, p := range parts {
		dst = appendPart(dst, p)
	}
	return dst
}

func appendPart[T string | []byte](dst []byte, part T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// hashOf returns a number that parts give, spread evenly over all numbers.
func hashOf(parts ...string) uint64 {
	sum := hashParts(parts)
	return binary.BigEndian.Uint64(sum[:8])
}

// hashShare returns a number from 0 up to 1, without 1, that parts give.
func hashShare(parts ...string) float64 {
	return float64(hashOf(parts...)>>11) / (1 << 53)
}
