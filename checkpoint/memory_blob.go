package checkpoint

import "slices"

// Bytes in memory stand one behind another in chunks, each as large as all
// before it together, within these bounds. What is larger than a quarter of a
// chunk has one of its own.
const (
	smallBlob = 1 << 10
	largeBlob = 16 << 10
)

// blobs keeps bytes by number instead of by pointer, so that a log of many
// commits is nothing that the garbage collector has to walk through.
type blobs struct {
	chunks [][]byte
	last   int // the chunk that is being filled
}

// blob is where bytes are kept.
type blob struct{ chunk, off, len uint32 }

// add keeps a copy of bytes.
func (b *blobs) add(data []byte) blob {
	if len(data) > largeBlob/4 {
		b.chunks = append(b.chunks, slices.Clone(data))
		return blob{uint32(len(b.chunks) - 1), 0, uint32(len(data))}
	}
	if len(b.chunks) == 0 || cap(b.chunks[b.last])-len(b.chunks[b.last]) < len(data) {
		size := smallBlob
		if len(b.chunks) > 0 {
			size = min(2*cap(b.chunks[b.last]), largeBlob)
		}
		b.chunks, b.last = append(b.chunks, make([]byte, 0, max(size, len(data)))), len(b.chunks)
	}
	chunk := &b.chunks[b.last]
	at := blob{uint32(b.last), uint32(len(*chunk)), uint32(len(data))}
	*chunk = append(*chunk, data...)
	return at
}

// get returns the bytes, which nobody may change.
func (b *blobs) get(at blob) []byte {
	end := at.off + at.len
	return b.chunks[at.chunk][at.off:end:end]
}
