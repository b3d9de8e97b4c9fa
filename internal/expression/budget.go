package expression

// Limits of one expression.
const (
	// MaxLength is the longest expression, in bytes, without the `${` and `}`
	// around it.
	MaxLength = 4096
	// MaxLoop is the longest list a predicate loops over.
	MaxLoop = 10_000
	// maxNesting is how many predicates stand inside one another at most: one
	// within another.
	maxNesting = 2
	// maxSteps is what one evaluation may cost. One round of a predicate
	// costs as many steps as its body has nodes, other work one step for each
	// element or for every 64 bytes it reads.
	maxSteps = 20_000_000
	// maxMemory is what the values made by one evaluation may take, in bytes.
	maxMemory = 16 << 20
	// slotSize is the memory counted for one element of a list.
	slotSize = 24
	// entrySize is the memory counted for one entry of a map.
	entrySize = 64
	// maxPattern is the longest regular expression, in bytes.
	maxPattern = 512
	// maxPatternSize is how large a regular expression may become when its
	// repetitions are written out.
	maxPatternSize = 10_000
	// maxDepth is how deep values may be nested.
	maxDepth = 200
	// maxProblems is how many problems of one expression are told.
	maxProblems = 10
)

// budget is what is left for one evaluation.
type budget struct {
	steps, memory int
}

// spend takes steps off the budget.
func (b *budget) spend(steps int) error {
	if steps > b.steps {
		b.steps = 0
		return limitf("the evaluation takes more than %d steps", maxSteps)
	}
	b.steps -= steps
	return nil
}

// read pays for reading so many bytes.
func (b *budget) read(bytes int) error {
	return b.spend(1 + bytes/64)
}

// long pays for reading so many bytes where they are more than a few.
func (b *budget) long(bytes int) error {
	if bytes < 64 {
		return nil
	}
	return b.read(bytes)
}

// take takes memory, in bytes, off the budget, and the steps to fill it.
func (b *budget) take(bytes int) error {
	if bytes > b.memory {
		b.memory = 0
		return limitf("the evaluation takes more than %d MiB of memory", maxMemory>>20)
	}
	b.memory -= bytes
	return b.read(bytes)
}

// list pays for making a list of so many elements.
func (b *budget) list(n int) error {
	if n > maxMemory/slotSize {
		return b.take(maxMemory + 1)
	}
	return b.take(n * slotSize)
}
