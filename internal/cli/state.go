package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
)

const stateHelp = `Show where a thread stands: its values, what is left to do and what it asks.

The values are those of the last step that was applied, also while a step is
paused or has failed. With --at it is where the thread stood at a checkpoint.

With --output json or jsonl it is one object: values, next, interrupts,
checkpoint, parent, step, source. Of a file with agents only that has what they
keep of handoffs and plans; graphrun handoffs and graphrun plan show it to
people.

`

// viewer is the command state.
type viewer struct {
	onThread
	at string
}

func (a *app) stateCommand() *cobra.Command {
	v := &viewer{onThread: onThread{app: a}}
	cmd := &cobra.Command{
		Use: "state FILE", Short: "Show where a thread stands", Long: stateHelp + exitHelp, Args: oneFile,
		Example: "  graphrun state support.yaml --thread ada\n  graphrun state support.yaml --thread ada --at 3 --output json",
		RunE:    func(cmd *cobra.Command, args []string) error { return v.show(cmd, args[0]) },
	}
	v.declare(cmd)
	cmd.Flags().StringVar(&v.at, "at", "", "checkpoint to show (default: the newest)")
	completeNothing(cmd, "at")
	return cmd
}

func (v *viewer) show(cmd *cobra.Command, file string) error {
	if err := v.check(cmd); err != nil {
		return err
	}
	if err := checkAt(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	return v.with(ctx, file, reading, func(g *records, _ *graphfile.File) error {
		s, err := g.State(ctx, v.thread, v.at)
		if err != nil {
			return err
		}
		return v.writeState(s)
	})
}

// writeState writes where the thread stands.
func (o *onThread) writeState(s *snapshot) error {
	if o.output.value != "text" {
		return o.writeJSON(s)
	}
	k := o.inkFor(o.Terminal.Stdout)
	var b strings.Builder
	for _, row := range o.stateRows(s) {
		if row[1] != "" {
			fmt.Fprintf(&b, "%s %s\n", k.dim(pad(row[0], 10)), row[1])
		}
	}
	values, err := valuesOf(s)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	text, err := renderValues(shown(values, o.hidden), k)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	_, err = o.Stdout.Write(append([]byte(b.String()+"\n"), text...))
	return unwritten(err)
}

// valuesOf is the state of a snapshot as JSON.
func valuesOf(s *snapshot) (json.RawMessage, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var whole struct{ Values json.RawMessage }
	err = json.Unmarshal(text, &whole)
	return whole.Values, err
}

// stateRows are what there is to say of a snapshot beside its values.
func (o *onThread) stateRows(s *snapshot) [][2]string {
	behind := ""
	if s.Parent != "" {
		behind = ", behind " + s.Parent
	}
	next := tally(s.Next)
	if next == "" {
		next = "nothing is left to do"
	}
	rows := [][2]string{
		{"thread", o.thread}, {"checkpoint", s.Checkpoint + behind},
		{"step", fmt.Sprintf("%d, %s", s.Step, s.Source)}, {"saved", age(o.Now(), s.At)}, {"next", next},
	}
	var done []string
	for i := range s.Tasks {
		t := &s.Tasks[i]
		switch {
		case t.Done:
			done = append(done, t.Node)
		case t.Error != "":
			rows = append(rows, [2]string{"failed", t.Node + ": " + oneLine(t.Error)})
		}
	}
	rows = append(rows, [2]string{"finished", tally(done)})
	for i := range s.Interrupts {
		q := &s.Interrupts[i]
		rows = append(rows, [2]string{"asks", askText(q) + "  (" + q.ID + ")"})
	}
	return rows
}

// age says how long ago something was, in one unit.
func age(now, then time.Time) string {
	switch d := now.Sub(then); {
	case d < time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours())/24)
	}
}

// printed writes a state behind a change of the thread, and on standard error
// what was done.
func (o *onThread) printed(s *snapshot, said string) error {
	if !o.quiet {
		fmt.Fprintln(o.Stderr, said)
	}
	return o.writeState(s)
}
