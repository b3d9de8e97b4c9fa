package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/plan"
)

const planDiffHelp = `Show what a version of a thread's plan changes against another one: steps that
came (+), went (-) or are otherwise (~). Without --from and --to these are the
last two versions.

With --output json or jsonl it is one object: plan, from, to, changes.

`

// planDiff is the command plan diff.
type planDiff struct {
	onPlan
	from, to int
}

func (a *app) planDiffCommand() *cobra.Command {
	d := &planDiff{onPlan: onPlan{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "diff FILE", Short: "Compare two versions of a thread's plan", Long: planDiffHelp + exitHelp, Args: oneFile,
		Example: "  graphrun plan diff support.yaml --thread ada\n  graphrun plan diff support.yaml --thread ada --from 1 --to 3 --output json",
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	d.declare(cmd)
	cmd.Flags().IntVar(&d.from, "from", 0, "version that is compared (default: the one before --to)")
	cmd.Flags().IntVar(&d.to, "to", 0, "version that it is compared with (default: the newest)")
	completeNothing(cmd, "from")
	completeNothing(cmd, "to")
	return cmd
}

func (d *planDiff) run(cmd *cobra.Command, file string) error {
	if err := checkVersion(cmd, "from", d.from); err != nil {
		return err
	}
	if err := checkVersion(cmd, "to", d.to); err != nil {
		return err
	}
	return d.sight(cmd, file, func(p *planned) error {
		versions := versionsOf(p)
		from, to, err := d.sides(versions)
		if err != nil {
			return err
		}
		return d.write(from, to, len(versions))
	})
}

// checkVersion refuses a version that no plan has.
func checkVersion(cmd *cobra.Command, flag string, version int) error {
	if cmd.Flags().Changed(flag) && version < 1 {
		return usage("--%s %d: versions count from 1", flag, version)
	}
	return nil
}

// versionsOf are the versions of the plan that was taken up last, oldest first.
func versionsOf(p *planned) (out []*plan.Plan) {
	for _, e := range p.latest() {
		if e.Plan != nil {
			out = append(out, e.Plan)
		}
	}
	return out
}

// sides are the versions to be compared; from is nil if there is none before to.
func (d *planDiff) sides(versions []*plan.Plan) (from, to *plan.Plan, err error) {
	if len(versions) == 0 {
		return nil, nil, usage("nobody has begun with the plan, so that it has no versions yet")
	}
	at := len(versions) - 1
	if d.to > 0 {
		if at, err = versionAt(versions, d.to); err != nil {
			return nil, nil, err
		}
	}
	if d.from > 0 {
		before, err := versionAt(versions, d.from)
		if err != nil {
			return nil, nil, err
		}
		return versions[before], versions[at], nil
	}
	if at == 0 {
		return nil, versions[0], nil
	}
	return versions[at-1], versions[at], nil
}

// versionAt is the place of a version.
func versionAt(versions []*plan.Plan, version int) (int, error) {
	var known []string
	for i, v := range versions {
		if v.Version == version {
			return i, nil
		}
		known = append(known, fmt.Sprint(v.Version))
	}
	return 0, usage("the plan %q has no version %d; there are %s", versions[0].ID, version, strings.Join(known, ", "))
}

// planDifference is a comparison in the JSON output.
type planDifference struct {
	Plan    string   `json:"plan"`
	From    int      `json:"from,omitempty"`
	To      int      `json:"to"`
	Changes []string `json:"changes"`
}

// write writes what differs; from is nil if to is the first of so many versions.
func (d *planDiff) write(from, to *plan.Plan, versions int) error {
	out := &planDifference{Plan: to.ID, To: to.Version, Changes: []string{}}
	note := ""
	switch {
	case from == nil && versions == 1:
		note = fmt.Sprintf("the plan %q has one version only: there is nothing to compare it with", to.ID)
	case from == nil:
		note = fmt.Sprintf("the plan %q has no version before %d to compare it with", to.ID, to.Version)
	default:
		out.From = from.Version
		out.Changes = append(out.Changes, plan.Diff(from, to)...)
		if len(out.Changes) == 0 {
			note = fmt.Sprintf("versions %d and %d of the plan %q are the same", from.Version, to.Version, to.ID)
		}
	}
	if note != "" && !d.quiet {
		fmt.Fprintln(d.Stderr, note)
	}
	if d.output.value != "text" {
		return d.writeJSON(out)
	}
	return d.lines(out)
}

// lines writes the changes for people.
func (d *planDiff) lines(out *planDifference) error {
	k := d.inkFor(d.Terminal.Stdout)
	var b strings.Builder
	if len(out.Changes) > 0 {
		b.WriteString(k.bold(fmt.Sprintf("%s, version %d against %d:", out.Plan, out.To, out.From)) + "\n")
	}
	for _, line := range out.Changes {
		line = escapeHidden(line)
		switch line[0] {
		case '+':
			line = k.green(line)
		case '-':
			line = k.red(line)
		}
		b.WriteString(line + "\n")
	}
	_, err := d.Stdout.Write([]byte(b.String()))
	return unwritten(err)
}
