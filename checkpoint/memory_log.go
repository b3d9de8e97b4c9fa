package checkpoint

import (
	"maps"
	"slices"
	"sort"
)

// A log in memory grows by chunks, each as large as all before it together,
// within these bounds: what is written stays where it is.
const (
	smallChunk = 4
	largeChunk = 128
)

// memoryLog is a log in memory that has at least one commit.
type memoryLog struct {
	head, base int64 // Seq and Base of the newest commit
	count      int
	chunks     [][]kept // in order; none is empty
	blobs      blobs
	sources    []string // the different ones
	pending    map[string][]byte
}

// kept is a commit as a log in memory keeps it: without its rows, and without
// a pointer.
type kept struct {
	seq, parent, base int64
	at                instant
	step              int
	source            uint32 // its place among the log's
	meta, body        blob
}

// commit returns what is kept as what was given.
func (l *memoryLog) commit(k *kept) Commit {
	return Commit{
		Seq: k.seq, Parent: k.parent, Base: k.base, Step: k.step, Source: l.sources[k.source],
		At: k.at.time(), Meta: l.blobs.get(k.meta), Body: l.blobs.get(k.body),
	}
}

// set makes k keep a commit; its time is left as it is.
func (l *memoryLog) set(k *kept, c *Commit) {
	k.seq, k.parent, k.base, k.step, k.source = c.Seq, c.Parent, c.Base, c.Step, l.source(c.Source)
	k.meta, k.body = l.blobs.add(c.Meta), l.blobs.add(c.Body)
}

// source returns the place of a source among the log's, of which there are few.
func (l *memoryLog) source(name string) uint32 {
	for i := range l.sources {
		if l.sources[i] == name {
			return uint32(i)
		}
	}
	l.sources = append(l.sources, name)
	return uint32(len(l.sources) - 1)
}

// add appends a commit.
func (l *memoryLog) add(c *Commit, at instant) {
	n := len(l.chunks) - 1
	if n < 0 || len(l.chunks[n]) == cap(l.chunks[n]) {
		l.chunks = append(l.chunks, make([]kept, 0, min(max(l.count, smallChunk), largeChunk)))
		n++
	}
	chunk := l.chunks[n]
	chunk = chunk[:len(chunk)+1]
	l.chunks[n] = chunk
	k := &chunk[len(chunk)-1]
	l.set(k, c)
	k.at = at
	l.head, l.base = c.Seq, c.Base
	l.count++
}

// keep replaces, adds or removes an entry behind the head.
func (l *memoryLog) keep(p *Pending) {
	if p.Body == nil {
		delete(l.pending, p.Key)
		return
	}
	if l.pending == nil {
		l.pending = map[string][]byte{}
	}
	l.pending[p.Key] = append([]byte{}, p.Body...)
}

// find returns the place of the first commit that is not before seq: chunk i,
// entry j. Behind the last one, i is the number of chunks.
func (l *memoryLog) find(seq int64) (i, j int) {
	i = sort.Search(len(l.chunks), func(k int) bool {
		return l.chunks[k][len(l.chunks[k])-1].seq >= seq
	})
	if i == len(l.chunks) {
		return i, 0
	}
	chunk := l.chunks[i]
	return i, sort.Search(len(chunk), func(k int) bool { return chunk[k].seq >= seq })
}

// get returns the commit with a number, nil if there is none.
func (l *memoryLog) get(seq int64) *kept {
	i, j := l.find(seq)
	if i == len(l.chunks) || l.chunks[i][j].seq != seq {
		return nil
	}
	return &l.chunks[i][j]
}

// load returns a commit with all that it rests on; false if there is none.
func (l *memoryLog) load(at int64) (*Loaded, bool) {
	if at == 0 {
		at = l.head
	}
	c := l.get(at)
	if c == nil {
		return nil, false
	}
	loaded := &Loaded{Head: l.head}
	for i, j := l.find(c.base); i < len(l.chunks) && l.chunks[i][j].seq <= at; i, j = i+1, 0 {
		end := sort.Search(len(l.chunks[i]), func(k int) bool { return l.chunks[i][k].seq > at })
		loaded.Commits = slices.Grow(loaded.Commits, end-j)
		for ; j < end; j++ {
			loaded.Commits = append(loaded.Commits, l.commit(&l.chunks[i][j]))
		}
	}
	if at == l.head {
		loaded.Pending = l.waiting()
	}
	return loaded, true
}

// waiting returns what is pending, by key.
func (l *memoryLog) waiting() []Pending {
	if len(l.pending) == 0 {
		return nil
	}
	out := make([]Pending, 0, len(l.pending))
	for _, key := range slices.Sorted(maps.Keys(l.pending)) {
		out = append(out, Pending{Key: key, Body: l.pending[key]})
	}
	return out
}

// list returns the commits that a query asks for, newest first.
func (l *memoryLog) list(q *Query) []Commit {
	i, j := len(l.chunks), 0
	if q.Before > 0 {
		i, j = l.find(q.Before)
	}
	var out []Commit
	for q.Limit <= 0 || len(out) < q.Limit {
		if j == 0 {
			if i--; i < 0 {
				break
			}
			j = len(l.chunks[i])
		}
		j--
		c := l.commit(&l.chunks[i][j])
		if !q.Bodies {
			c.Body = nil
		}
		out = append(out, c)
	}
	return out
}

// info describes the log.
func (l *memoryLog) info(name Log) LogInfo {
	c := l.commit(l.get(l.head))
	return LogInfo{
		Log: name, Head: l.head, Step: c.Step, Source: c.Source, At: c.At, Meta: c.Meta,
		Commits: l.count, Pending: len(l.pending),
	}
}

// prune returns a log whose oldest commit is whole; false if there is none to
// replace.
func (l *memoryLog) prune(whole *Commit) (*memoryLog, bool) {
	if l.get(whole.Seq) == nil {
		return nil, false
	}
	fresh := &memoryLog{pending: l.pending}
	for i, j := l.find(whole.Seq); i < len(l.chunks); i, j = i+1, 0 {
		for ; j < len(l.chunks[i]); j++ {
			k := &l.chunks[i][j]
			c := l.commit(k)
			if c.Seq == whole.Seq {
				c = *whole
			}
			c.Base = max(c.Base, whole.Seq)
			fresh.add(&c, k.at)
		}
	}
	return fresh, true
}

// clone returns a log with the same contents.
func (l *memoryLog) clone() *memoryLog {
	c := &memoryLog{pending: maps.Clone(l.pending)}
	for _, chunk := range l.chunks {
		for i := range chunk {
			commit := l.commit(&chunk[i])
			c.add(&commit, chunk[i].at)
		}
	}
	return c
}
