package kernel_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
)

var update = flag.Bool("update", false, "write the traces in testdata/traces anew")

// TestTraces runs the scripts of testdata/traces. A script is a list of
// commands, each followed by ---- and what it prints; a line that begins with
// # is a remark. The commands are:
//
//	graph        the lines below it are the graph: "a -> b", "join a b -> c",
//	             "defer c", "limit 3", "goto a -> b", "send a -> b"
//	start        begins a run
//	done b ok …  gives the open task of b its result: "ok" with writes and ways
//	             on (log=x n=2 last=x goto=b send=b:item), "failed TEXT" or
//	             "cancelled"
//	late 1.0 ok  offers a result for the task 0 of step 1, in its wire form
//	advance      commits the step and plans the next
//	state        prints the state
//	snapshot     prints the machine
//	restore      goes on with a machine made of the last snapshot
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			got := (&tracer{f: newSheetFields()}).play(string(text))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(text), got, "run with -update to accept what it prints now")
		})
	}
}

type tracer struct {
	f    *sheetFields
	plan *kernel.Plan
	m    *kernel.Machine
	snap []byte
}

// play runs a script and returns it with what the commands print.
func (r *tracer) play(script string) string {
	var out strings.Builder
	for _, block := range strings.Split(strings.TrimSpace(script), "\n\n") {
		before, _, isCommand := strings.Cut(block+"\n", "----\n")
		out.WriteString(before)
		if !isCommand {
			out.WriteString("\n")
			continue
		}
		var lines []string
		for _, line := range strings.Split(strings.TrimSpace(before), "\n") {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		fmt.Fprintf(&out, "----\n%s\n\n", strings.TrimSpace(r.command(lines)))
	}
	return strings.TrimSpace(out.String()) + "\n"
}

func (r *tracer) command(lines []string) string {
	words := strings.Fields(lines[0])
	lay := r.f.layout()
	switch words[0] {
	case "graph":
		return r.graph(lines[1:])
	case "start":
		r.m = kernel.NewMachine(r.plan)
		r.m.Start(lay.NewStore(lay.Fresh()), 0)
		return "step 0: START"
	case "done":
		return r.done(words[1], words[2:])
	case "late":
		return r.late(words[1], words[2:])
	case "advance":
		return r.advance()
	case "state":
		text, err := lay.AppendState(nil, r.m.Store().State())
		return told(string(text), err)
	case "snapshot":
		var err error
		r.snap, err = r.m.Snapshot(lay)
		return told(string(r.snap), err)
	case "restore":
		m, err := kernel.Restore(r.plan, lay, r.snap)
		r.m = m
		return told("ok", err)
	}
	return "there is no such command"
}

func told(text string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// result fills in what the words of a script tell.
func (r *tracer) result(res *kernel.Result, words []string) {
	switch words[0] {
	case "failed":
		*res = kernel.Result{Status: kernel.Failed, Err: errors.New(strings.Join(words[1:], " "))}
		return
	case "cancelled":
		*res = kernel.Result{Status: kernel.Cancelled, Err: errors.New("cancelled")}
		return
	}
	var parts []graph.Command[sheet]
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch n, _ := strconv.Atoi(value); key {
		case "log":
			parts = append(parts, r.f.cmd.Update(r.f.log.Append(strings.Split(value, ",")...)))
		case "n":
			parts = append(parts, r.f.cmd.Update(r.f.n.Add(n)))
		case "last":
			parts = append(parts, r.f.cmd.Update(r.f.last.Set(value)))
		case "goto":
			parts = append(parts, r.f.cmd.Goto(value))
		case "send":
			to, item, _ := strings.Cut(value, ":")
			parts = append(parts, r.f.cmd.Send(r.f.cmd.To(to, r.f.item.Set(item))))
		}
	}
	*res = kernel.Result{Status: kernel.Succeeded, Command: kernel.Command(r.f.cmd.All(parts...))}
}

// done gives the first open task of a node its result.
func (r *tracer) done(node string, words []string) string {
	for i, task := range r.m.Tasks() {
		if r.plan.Name(task.Node) != node || r.m.Result(i).Status != kernel.Open {
			continue
		}
		r.result(r.m.Result(i), words)
		if !r.m.Done(r.m.ID(i)) {
			return "dropped"
		}
		return fmt.Sprintf("task %d.%d done, %d open", r.m.Step(), i, r.m.Open())
	}
	return "no task of it is open"
}

// late sends a result to the machine.
func (r *tracer) late(id string, words []string) string {
	var at kernel.TaskID
	if _, err := fmt.Sscanf(id, "%d.%d", &at.Step, &at.Index); err != nil {
		return told("", err)
	}
	w := kernel.NewMachine(r.plan)
	w.Start(r.f.layout().NewStore(r.f.layout().Fresh()), 0)
	r.result(w.Result(0), words)
	data, err := w.EncodeResult(0, at, r.f.layout())
	if err != nil {
		return told("", err)
	}
	ok, err := r.m.AcceptResult(data, r.f.layout())
	return told(map[bool]string{true: fmt.Sprintf("accepted, %d open", r.m.Open()), false: "dropped"}[ok], err)
}

func (r *tracer) advance() string {
	e := r.m.Advance()
	out := fmt.Sprintf("step %d dropped\n", e.Step)
	if e.Committed {
		out = fmt.Sprintf("step %d committed\n", e.Step)
	}
	if !e.Closed {
		return out + fmt.Sprintf("step %d: %s", r.m.Step(), r.tasks())
	}
	ending := []string{"done", "broken", "stopped", "exhausted", "left"}[e.Outcome.Ending]
	out += "closed: " + ending
	if e.Outcome.Err != nil {
		out += fmt.Sprintf(" by task %d: %v", e.Outcome.Task, e.Outcome.Err)
	}
	if len(r.m.Tasks()) > 0 {
		out += "\nleft: " + r.tasks()
	}
	return out
}

// tasks names the tasks of the step, with what those were sent that were sent.
func (r *tracer) tasks() string {
	var out []string
	for _, task := range r.m.Tasks() {
		name := r.plan.Name(task.Node)
		if task.From != nil {
			over := task.From.Over.Changes()
			text, err := r.f.layout().AppendShown(nil, &over)
			name += told(string(text), err)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}
