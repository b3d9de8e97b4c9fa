package cli

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// lineReader reads standard input line by line, for one who may stop waiting.
type lineReader struct {
	lines chan typed
}

// typed is a line that was read, or why there are no more.
type typed struct {
	text string
	err  error
}

// next returns the next line without its end. At the end of the input the
// error is io.EOF; the end of ctx is its error.
func (l *lineReader) next(ctx context.Context, from io.Reader) (string, error) {
	if l.lines == nil {
		l.lines = make(chan typed)
		go l.read(bufio.NewReader(from))
	}
	select {
	case t, ok := <-l.lines:
		if !ok {
			return "", io.EOF
		}
		return t.text, t.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read hands over lines for as long as there are some; it ends with the
// process if nobody takes them.
func (l *lineReader) read(from *bufio.Reader) {
	defer close(l.lines)
	for {
		text, err := from.ReadString('\n')
		if text != "" {
			l.lines <- typed{strings.TrimRight(text, "\r\n"), nil}
		}
		if err != nil {
			return
		}
	}
}
