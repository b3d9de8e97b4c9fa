package cli

import "fmt"

// tree returns the lines of jobs and of those within them; keep may leave some
// out, nil: none.
func (l *live) tree(jobs []*job, keep func(*job) bool) []string {
	var lines []string
	for _, j := range jobs {
		if keep == nil || keep(j) {
			lines = append(lines, l.painter.branch(j, l.mark(j)))
		}
		lines = append(lines, l.tree(j.inner, keep)...)
	}
	return lines
}

// region returns the tree of the step at hand, on so many lines: if it has
// more, those that are at work come first and the others are counted.
func (l *live) region(most int) []string {
	all := len(l.ledger.jobs)
	if all <= most {
		return l.tree(l.ledger.top, nil)
	}
	left := most - 1
	busy := l.tree(l.ledger.top, func(j *job) bool {
		if left <= 0 || j.stage != running && j.stage != failed {
			return false
		}
		left--
		return true
	})
	counts := map[stage]int{}
	for _, j := range l.ledger.jobs {
		counts[j.stage]++
	}
	rest := fmt.Sprintf("  %d tasks: %d done, %d at work, %d waiting", all, counts[finished], counts[running], counts[waiting])
	return append(busy, l.painter.ink.dim(clip(rest, l.painter.width)))
}

// mark is the sign in front of a job.
func (l *live) mark(j *job) string {
	switch j.stage {
	case running:
		return l.spin()
	case finished:
		return "✓"
	case failed:
		return "✗"
	case cancelled:
		return "–"
	}
	return "·"
}

// spin is the sign for what is at work, another one in each picture.
func (l *live) spin() string {
	spinner := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(spinner[l.frame%len(spinner)])
}
