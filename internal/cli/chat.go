package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

const chatHelp = `Talk with a graph that has a field with reduce: messages, as agents have.

Each line is a message of the user: the thread runs with it, and what is said
is shown as it comes, with the tools that are called and the handoffs. A line
that ends with \ goes on with the next one; """ begins and ends a message of
several lines. What the run asks is shown, and the next lines answer it.

A line that begins with / is a command: /agent NAME lets that agent go on,
/help lists the others. // begins a message with a slash.

Ctrl-c ends the run at work behind the step that it is at, once more or where a
line is awaited ends the chat. Ctrl-d ends it too. A run that fails does not:
/retry goes on with it.

Where standard input is no terminal its lines are taken in the same way, without
prompts; the exit code at their end is that of the last run. With --output jsonl
standard output has the event log, and the rest is said on standard error.

`

const chatExamples = `  graphrun chat support.yaml
  graphrun chat support.yaml --thread ada --agent billing
  printf '%s\n' 'Where is my order?' '/agent billing' 'I want my money back.' | graphrun chat support.yaml`

// chat is the command chat.
type chat struct {
	*runner
	agent    string // who gets the next message; "": whoever has the conversation
	messages string // the field of the conversation

	defs  *graphfile.File
	show  *chatShow
	reply io.Writer // for what is no part of the run
	asked *inquiry  // nil: nothing is asked
	sum   *summary  // of the last run; nil: there was none
	due   bool      // a run has left work that /retry goes on with
}

func (a *app) chatCommand() *cobra.Command {
	c := &chat{runner: newRunner(a)}
	cmd := &cobra.Command{
		Use: "chat FILE", Short: "Talk with a graph", Long: chatHelp + meansHelp + exitHelp, Example: chatExamples, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return c.start(cmd, args[0]) },
	}
	c.declareChat(cmd)
	return cmd
}

// declareChat adds the flags to the command.
func (c *chat) declareChat(cmd *cobra.Command) {
	c.flags.addFor(cmd, "text", "jsonl")
	c.threadFlag.add(cmd, "id of the thread (default: a new one)")
	c.means.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&c.agent, "agent", "", "agent that the first message goes to")
	fs.StringVar(&c.messages, "messages", "", "field of the conversation, where the graph has several with reduce: messages")
	fs.Var(c.durability, "durability", "when steps are saved: before the next one, while it runs, or where the run ends")
	fs.Var(c.busy, "busy", busyAbout)
	fs.BoolVar(&c.changes, "allow-changes", false, "go on although the graph file has changed since the thread stopped")
	fs.BoolVar(&c.debug, "debug", false, "tell more: all events in jsonl")
	completeNothing(cmd, "agent")
	completeNothing(cmd, "messages")
	completeWords(cmd, "durability", c.durability)
	completeWords(cmd, "busy", c.busy)
}

func (c *chat) start(cmd *cobra.Command, file string) error {
	if err := c.flags.check(cmd); err != nil {
		return err
	}
	if err := c.threadFlag.check(cmd, false); err != nil {
		return err
	}
	if err := c.means.check(cmd); err != nil {
		return err
	}
	if file == "-" {
		return usage("standard input cannot be the graph file and the chat at once")
	}
	return c.with(cmd.Context(), file, creating, func(ctx context.Context, f *graphfile.File) error {
		c.defs = f
		if err := c.prepare(cmd.Flags().Changed("agent")); err != nil {
			return err
		}
		given := cmd.Flags().Changed("thread")
		if err := (&starter{runner: c.runner}).begin(ctx, given); err != nil {
			return err
		}
		if err := c.goOnWith(ctx, given); err != nil {
			return err
		}
		return c.loop(ctx)
	})
}

// prepare finds the conversation and whom it begins with.
func (c *chat) prepare(chosen bool) error {
	var err error
	if c.messages, err = conversationOf(c.defs, c.messages); err != nil {
		return err
	}
	if chosen {
		if c.agent, err = c.selectable(c.agent); err != nil {
			return usage("--agent: %w", err)
		}
	}
	c.reply = c.Stdout
	c.show = newChatShow(c.runner, c.defs)
	c.show.field = c.messages
	if c.output.value == "jsonl" {
		c.reply, c.show.out = c.Stderr, io.Discard
	}
	return nil
}

// goOnWith shows where the thread stands that the chat goes on with.
func (c *chat) goOnWith(ctx context.Context, given bool) error {
	if !given {
		return nil
	}
	s, err := c.graph.State(ctx, c.thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil // it begins with the first message
	}
	if err != nil {
		return err
	}
	talk, err := c.conversation(&s.Values)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	c.show.know(talk)
	if !c.quiet {
		const last = 6
		if skipped := len(talk) - last; skipped > 0 {
			fmt.Fprintln(c.Stderr, c.dim(fmt.Sprintf("(%s before; /history shows all)", counted(skipped, "message"))))
			talk = talk[skipped:]
		}
		fmt.Fprint(c.Stderr, c.show.cast.transcript(c.inkFor(c.Terminal.Stderr), talk))
	}
	c.sum = &summary{thread: c.thread, status: graph.OutcomeInterrupted, state: &s.Values}
	c.stand(s)
	if c.asked == nil {
		c.sum.status = graph.OutcomeDone // it is not this chat's
	}
	return nil
}

// stand takes over what a thread asks and what is left to do.
func (c *chat) stand(s *snapshot) {
	c.sum.asks, c.sum.next = s.Interrupts, s.Next
	c.due, c.asked = len(s.Tasks) > 0, nil
	switch {
	case len(s.Interrupts) > 0:
		c.asked, c.sum.status = newInquiry(s.Interrupts), graph.OutcomeInterrupted
	case c.due && c.sum.status == graph.OutcomeInterrupted:
		c.tell("left to do: %s; /retry goes on, a message drops it", cmp.Or(tally(s.Next), "the end of a step"))
	}
}

// conversation reads the messages of a state.
func (c *chat) conversation(r *state.Record) ([]state.Message, error) {
	return messagesIn(r, c.messages)
}

// tell says on standard error what is no part of the conversation.
func (c *chat) tell(format string, args ...any) {
	c.show.endLine()
	fmt.Fprintln(c.Stderr, c.dim(spoken(fmt.Sprintf(format, args...))))
}

func (c *chat) dim(text string) string { return c.inkFor(c.Terminal.Stderr).dim(text) }
