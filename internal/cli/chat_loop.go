package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// errChatOver: the user ends the chat.
var errChatOver = errors.New("the chat is over")

// loop takes what the user says until the chat is over.
func (c *chat) loop(ctx context.Context) error {
	if c.Terminal.Stdin && !c.quiet {
		c.tell("/help lists the commands")
	}
	for {
		said, err := c.listen(ctx)
		if err == nil {
			err = c.heed(ctx, said)
		}
		switch {
		case ctx.Err() != nil:
			c.show.endLine()
			c.wayBack()
			return &exit{ExitStopped, context.Cause(ctx)}
		case errors.Is(err, io.EOF), errors.Is(err, errChatOver):
			return c.over(ctx)
		case err != nil:
			return err
		}
	}
}

// utterance is what the user has typed.
type utterance struct {
	text    string
	command bool // the text is a command, without its slash
}

// listen shows what the next line is for and reads it, with those that belong to
// it.
func (c *chat) listen(ctx context.Context) (utterance, error) {
	c.show.endLine()
	if c.asked != nil {
		c.show.heard(c.asked)
		if err := c.say(c.asked.pose(c.replyInk())); err != nil {
			return utterance{}, err
		}
	}
	line, err := c.line(ctx, c.promptText())
	if err != nil {
		return utterance{}, err
	}
	switch rest, slash := strings.CutPrefix(line, "/"); {
	case strings.HasPrefix(rest, "/") && slash:
		line = rest
	case slash:
		return utterance{strings.TrimSpace(rest), true}, nil
	}
	text, err := c.whole(ctx, line)
	return utterance{text: text}, err
}

func (c *chat) promptText() string {
	switch {
	case c.asked != nil:
		return "? "
	case c.agent != "":
		return oneLine(c.agent) + "> "
	}
	return "> "
}

// line reads a line, on a terminal behind a prompt.
func (c *chat) line(ctx context.Context, prompt string) (string, error) {
	if c.Terminal.Stdin && !c.quiet {
		fmt.Fprint(c.Stderr, c.inkFor(c.Terminal.Stderr).bold(prompt))
	}
	text, err := c.lines.next(ctx, c.Stdin)
	if err != nil && c.Terminal.Stdin && !c.quiet {
		fmt.Fprintln(c.Stderr)
	}
	return text, err
}

// fence begins and ends a text of several lines.
const fence = `"""`

// whole reads the lines that belong to a first one. The end of the input ends
// the text as well.
func (c *chat) whole(ctx context.Context, line string) (string, error) {
	if rest, fenced := strings.CutPrefix(strings.TrimLeft(line, " \t"), fence); fenced {
		return c.fenced(ctx, rest)
	}
	var parts []string
	for {
		part, more := strings.CutSuffix(line, `\`)
		if parts = append(parts, part); !more {
			break
		}
		var err error
		if line, more, err = c.further(ctx); err != nil {
			return "", err
		}
		if !more {
			break
		}
	}
	return strings.Join(parts, "\n"), nil
}

// further reads a further line of what is said; false: there is none.
func (c *chat) further(ctx context.Context) (line string, more bool, err error) {
	line, err = c.line(ctx, "… ")
	if errors.Is(err, io.EOF) {
		return "", false, nil
	}
	return line, err == nil, err
}

// fenced reads up to the line that ends with the fence.
func (c *chat) fenced(ctx context.Context, line string) (string, error) {
	var parts []string
	for {
		part, end := strings.CutSuffix(strings.TrimRight(line, " \t"), fence)
		if !end {
			part = line
		}
		parts = append(parts, part)
		if end {
			break
		}
		var err error
		var more bool
		if line, more, err = c.further(ctx); err != nil {
			return "", err
		}
		if !more {
			break
		}
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n"), nil
}

// heed does what the user has said.
func (c *chat) heed(ctx context.Context, said utterance) error {
	switch {
	case said.command:
		return c.command(ctx, said.text)
	case c.asked != nil:
		return c.answer(ctx, said.text)
	case strings.TrimSpace(said.text) == "":
		return nil
	}
	return c.message(ctx, said.text)
}

// over ends the chat in order.
func (c *chat) over(ctx context.Context) error {
	c.show.endLine()
	if c.agent != "" {
		c.tell("%s was chosen and got no message, which is not kept", c.agent)
	}
	if c.asked != nil && len(c.asked.answers) > 0 {
		c.tell("%s not sent, for other questions are open", counted(len(c.asked.answers), "answer"))
	}
	if c.sum == nil {
		return nil
	}
	if c.sum.status == graph.OutcomeInterrupted {
		c.conclude(ctx, c.sum, c.defs, 0)
	} else {
		c.wayBack()
	}
	if code := exitOf(c.sum.status); code != ExitDone && !c.Terminal.Stdin {
		return &exit{code: code}
	}
	return nil
}

// wayBack says how the chat is gone on with.
func (c *chat) wayBack() {
	if !c.Terminal.Stdin || c.quiet || c.sum == nil || c.keptOf(c.sum) != safe {
		return
	}
	c.tell("go on with: %s", c.chatAgain())
}

// chatAgain is the command that goes on with the chat.
func (c *chat) chatAgain() string {
	return strings.Replace(c.goOn(""), "graphrun resume", "graphrun chat", 1)
}
