package source

import (
	"fmt"
	"strings"
)

// yamlText is the text of a file as the YAML library is given it: of one
// document, without directives, lines and columns as they are in the file.
type yamlText struct {
	*tree
	out       strings.Builder
	line      int
	directive bool // one was read
	begun     bool // the document has begun, with "---" or a value
	ended     bool // "..." was read
}

// yamlText checks what the library would read otherwise than YAML 1.2 has it.
func (t *tree) yamlText(text string) string {
	y := yamlText{tree: t}
	y.legible(text)
	y.size(text)
	for line := range strings.Lines(text) {
		if y.line++; t.failed {
			break
		}
		y.add(strings.TrimSuffix(line, "\n"))
	}
	if y.directive && !y.begun {
		t.fail(t.file.end(), `a directive must be followed by a line "---"`)
	}
	return y.out.String()
}

// add takes one line.
func (y *yamlText) add(line string) {
	blank := strings.TrimLeft(line, " \t")
	at := Pos{y.line, 1}
	switch {
	case marker(line, "..."):
		y.end(line)
	case blank == "" || blank[0] == '#' && !y.begun:
	case y.ended && (!y.begun || blank[0] != '#'):
		y.second(at)
	case y.begun:
		if marker(line, "---") {
			y.second(at)
		}
	case line[0] == '%':
		y.directive = true
		if !version(line) {
			y.fail(at, "the only directive that is read is %%YAML 1.2")
		}
		line = "#" + line[1:]
	default:
		y.begun = true
		if y.directive && !marker(line, "---") {
			y.fail(at, `a directive must be followed by a line "---"`)
		}
	}
	if !y.ended {
		y.out.WriteString(line + "\n")
	}
}

func (y *yamlText) end(line string) {
	y.ended = true
	rest := strings.TrimLeft(line[3:], " \t")
	if rest != "" && rest[0] != '#' {
		y.fail(Pos{y.line, len(line) - len(rest) + 1}, `unexpected text behind "..."`)
	}
}

func (t *tree) second(at Pos) {
	d := t.fail(at, "a second document starts here, but a file may hold only one")
	d.Hint = "remove this line, or put what follows into a file of its own"
}

// marker tells whether a line starts with a document mark, which it then is
// whatever stands around it.
func marker(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// version tells whether a line is "%YAML 1.x", perhaps with a comment.
func version(line string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > 2 && words[2][0] != '#' {
		return false
	}
	minor, ok := strings.CutPrefix(words[1], "1.")
	return words[0] == "%YAML" && ok && len(minor) == 1 && digits(minor) == 1
}

// legible reports the first character that YAML 1.1 takes for a line break or
// that cannot be seen, since the library would drop it.
func (y *yamlText) legible(text string) {
	for i, r := range text {
		if r < 0x7f || r >= 0xa0 && r < 0x2028 || r > 0x2029 && r < 0xfeff {
			continue
		}
		if r < 0xa0 || r <= 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			d := y.fail(Pos{1, 1}.behind(text[:i]), "the character U+%04X, which cannot be seen, stands in the file", r)
			d.Hint = fmt.Sprintf(`remove it, or write "\u%04X" inside double quotes`, r)
			return
		}
	}
}

// size bounds what the library builds before the values can be counted, by the
// signs with which a value may begin.
func (y *yamlText) size(text string) {
	signs := 0
	for i := range len(text) {
		switch text[i] {
		case ',', '[', '{':
			signs++
		case ':', '-', '?':
			if i+1 == len(text) || strings.IndexByte(" \t\n", text[i+1]) >= 0 {
				signs++
			}
		}
		if signs > y.lim.Nodes {
			at := Pos{1, 1}.behind(text[:i])
			y.fail(at, "the file may hold more than %d values, counted by the signs that begin one", y.lim.Nodes)
			return
		}
	}
}
