package source

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// File is a file that was read: its tree and its text, which is kept to show
// lines of it. It is not changed once it is read and may be used by many
// goroutines.
type File struct {
	// Name is what diagnostics call the file, most often its path.
	Name string
	// Root is the one value of the file, never nil.
	Root *Node

	text  string // line breaks are all "\n", no byte order mark
	lines []int  // the offset at which each line starts
}

// Read reads a file to its end, at most one byte more than the limit allows,
// and parses it like [Parse]. What the reader fails with is returned wrapped.
func Read(name string, r io.Reader, lim Limits) (*File, error) {
	lim = lim.filled()
	data, err := io.ReadAll(io.LimitReader(r, int64(lim.Bytes)+1))
	if err != nil {
		return nil, fmt.Errorf("source: read %q: %w", name, err)
	}
	return Parse(name, data, lim)
}

// Parse reads the text of a file. The error is a [Diagnostics] that holds at
// least one error.
//
// A text that cannot be read as a tree gives no file and the one error at
// which reading had to stop, behind any found up to there. Where the tree
// could be read to its end but something in it is refused (a key given twice,
// a number out of range, a tag), the file is returned together with the error:
// the caller may go on to look for more problems in it, but must not use it.
func Parse(name string, data []byte, lim Limits) (*File, error) {
	lim = lim.filled()
	f := &File{Name: name}
	rep := f.Report()
	if len(data) > lim.Bytes {
		rep.Errorf(Pos{}, "the file is larger than %d bytes", lim.Bytes)
		return nil, rep.Err()
	}
	f.text = normal(string(data))
	f.lines = lineStarts(f.text)
	if !f.legible(rep) {
		return nil, rep.Err()
	}
	t := &tree{file: f, rep: rep, lim: lim}
	if json.Valid([]byte(f.text)) {
		f.Root = t.json(f.text)
	} else {
		f.Root = t.yaml(f.text)
	}
	if t.failed {
		return nil, rep.Err()
	}
	return f, rep.Err()
}

// normal drops a byte order mark and makes every line break one "\n".
func normal(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

func lineStarts(text string) []int {
	starts := make([]int, 1, 1+strings.Count(text, "\n"))
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// legible reports the first thing in the text that is no character of a text
// file.
func (f *File) legible(rep *Report) bool {
	pos := Pos{1, 1}
	for i, r := range f.text {
		switch {
		case r == '\n':
			pos = Pos{pos.Line + 1, 1}
			continue
		case r == utf8.RuneError && !strings.HasPrefix(f.text[i:], "\ufffd"):
			d := rep.Errorf(pos, "the text is not UTF-8: byte 0x%02x", f.text[i])
			d.Hint = "save the file as UTF-8"
			return false
		case r < ' ' && r != '\t':
			d := rep.Errorf(pos, "the control character U+%04X cannot stand in a file", r)
			d.Hint = fmt.Sprintf(`inside double quotes it can be written as "\x%02x"`, r)
			return false
		}
		pos.Col++
	}
	return true
}

// end is the place behind the last character.
func (f *File) end() Pos {
	last := f.Line(len(f.lines))
	return Pos{len(f.lines), utf8.RuneCountInString(last) + 1}
}

// Line returns the text of a line, counted from 1, without its line break, or
// "" if there is no such line.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	text := f.text[f.lines[n-1]:]
	if n < len(f.lines) {
		text = f.text[f.lines[n-1] : f.lines[n]-1]
	}
	return text
}
