package sqlite

import (
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"

	"github.com/graphrun/graphrun/checkpoint"
)

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// digest collects the columns of a row, each in a form that says where it
// ends. A digest can be used for many rows, one after the other.
type digest struct{ b []byte }

func (d *digest) begin(table byte) { d.b = append(d.b[:0], table) }

func (d *digest) ints(values ...int64) {
	for _, v := range values {
		d.b = binary.LittleEndian.AppendUint64(d.b, uint64(v))
	}
}

func (d *digest) text(s string) {
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

func (d *digest) blob(s []byte) {
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

// sum joins the checksum of the body with that of the other columns, into
// which the body's goes as well. The two stand in one column, so that a row
// can be proved without its body.
func (d *digest) sum(body uint32) int64 {
	d.b = binary.LittleEndian.AppendUint32(d.b, body)
	return int64(uint64(body)<<32 | uint64(crc32.Checksum(d.b, castagnoli)))
}

func bodySum(body []byte) uint32 { return crc32.Checksum(body, castagnoli) }

// bodyPart takes the checksum of the body out of a sum.
func bodyPart(sum int64) uint32 { return uint32(uint64(sum) >> 32) }

func (d *digest) thread(t *threadRow) int64 {
	d.begin('t')
	d.text(t.name)
	d.ints(t.id, t.fence, t.logs)
	return d.sum(0)
}

func (d *digest) log(l *logRow) int64 {
	d.begin('l')
	d.text(l.thread.name)
	d.text(l.ns)
	d.ints(l.id, l.thread.id, l.head, l.base, l.first, l.commits, l.pending)
	return d.sum(0)
}

// commit sums a commit of a log. At is the time as it is stored.
func (d *digest) commit(log checkpoint.Log, prev, at int64, c *checkpoint.Commit, body uint32) int64 {
	d.begin('c')
	d.text(log.Thread)
	d.text(log.NS)
	d.ints(c.Seq, prev, c.Parent, c.Base, int64(c.Step), at)
	d.text(c.Source)
	d.blob(c.Meta)
	return d.sum(body)
}

func (d *digest) pending(log checkpoint.Log, key string, body uint32) int64 {
	d.begin('p')
	d.text(log.Thread)
	d.text(log.NS)
	d.text(key)
	return d.sum(body)
}

func (d *digest) item(r *itemRow) int64 {
	d.begin('i')
	d.blob(r.ns)
	d.text(r.key)
	d.ints(r.ttl, r.created, r.updated, r.expires)
	return d.sum(bodySum(r.value))
}

// hash spreads names over the numbers from 0 to 2^62-1.
func hash(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int64(mix(h.Sum64()) >> 2)
}

// mix lets every bit of x decide about every bit of the result.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}
