package cli

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// lineReader reads standard input line by line, for one who may stop waiting.
type lineReader struct{ in *bufio.Reader }

// next returns the next line without its end. At the end of the input the
// error is io.EOF; the end of ctx is its cause, and then there may be no more
// reading.
func (l *lineReader) next(ctx context.Context, from io.Reader) (string, error) {
	if l.in == nil {
		l.in = bufio.NewReader(from)
	}
	type typed struct {
		text string
		err  error
	}
	line := make(chan typed, 1)
	go func() {
		text, err := l.in.ReadString('\n')
		if text != "" {
			err = nil
		}
		line <- typed{strings.TrimRight(text, "\r\n"), err}
	}()
	select {
	case t := <-line:
		return t.text, t.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
