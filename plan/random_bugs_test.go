package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs that once did something else than the reference.
func TestRandomPlansThatWereWrong(t *testing.T) {
	for name, text := range map[string]string{
		"a step without input fails the plan":                           `{"Order":"linear","Steps":[{"Agent":"b","ID":"s1"},{"Agent":"c","ID":"s2","Need":"s1"}]}`,
		"a last step without input is skipped":                          `{"Order":"linear","OnFailure":{"do":"skip"},"Steps":[{"Agent":"b","ID":"s1"},{"Agent":"c","ID":"s2","Need":"s1"}]}`,
		"the time of a step is not that of the wait behind it":          `{"Order":"linear","Steps":[{"Agent":"b","Attempts":[{"Stays":[{"Turns":[{"Do":"fail"}]}]}],"ID":"s2","Retry":2,"Timeout":1264000000002,"Wait":1578000000001}]}`,
		"the first cause stays":                                         `{"Order":"graph","Steps":[{"Accept":true,"Capability":"y","ID":"s8"},{"Agent":"d","Attempts":[{"Stays":[{"Turns":[{"Do":"fail"}]}]}],"ID":"s10"}]}`,
		"a later failure does not change the cause":                     `{"Order":"graph","Steps":[{"Agent":"b","Attempts":[{"Stays":[{"Turns":[{"Do":"transfer","To":"a"}]}]}],"ID":"s4"},{"Agent":"c","Attempts":[{"Stays":[{"Turns":[{"Do":"refuse"}]}]}],"ID":"s6"}]}`,
		"a transfer takes the step's time along":                        `{"Order":"linear","Steps":[{"Agent":"d","Attempts":[{"Stays":[{"Turns":[{"Do":"refuse"}]}]},{"Stays":[{"Turns":[{"Do":"transfer","To":"c"}]},{"Turns":[{"Do":"transfer","To":"b"}]},{"Turns":[{"Do":"wait"}]}]}],"ID":"s2","Timeout":2424000000002}],"Supervisor":"boss"}`,
		"rungs of another step":                                         `{"Order":"linear","Steps":[{"Agent":"d","ID":"s3"},{"Attempts":[{"Stays":[{"Turns":[{"Do":"escalate"}]}]}],"Capability":"y","ID":"s4"}]}`,
		"time stands still when a step has ended":                       `{"Order":"graph","Supervisor":"boss","Steps":[{"Agent":"a","Timeout":60000000000,"Attempts":[{"Stays":[{"Turns":[{"Do":"wait"}]}]}],"ID":"s1"},{"Agent":"b","Attempts":[{"Stays":[{"Turns":[{"Do":"wait","For":90000000000}]}]}],"ID":"s2"}]}`,
		"a step that came back is refused":                              `{"Order":"linear","Steps":[{"Attempts":[{"Stays":[{"Turns":[{"Do":"transfer","To":"d"}]},{"Turns":[{"Do":"transfer","To":"boss"}]},{"Turns":[{"Do":"refuse"}]}]}],"Capability":"y","ID":"s3"}]}`,
		"who takes over has what is left of the time":                   `{"Order":"linear","Steps":[{"Agent":"c","Attempts":[{"Stays":[{"Turns":[{"Do":"wait","For":1877000000001},{"Do":"transfer","To":"c"}]}]}],"ID":"s2","Timeout":3528000000002}],"Supervisor":"boss"}`,
		"a new version behind a skipped branch":                         `{"Order":"graph","Steps":[{"Agent":"a","ID":"s1","Attempts":[{"Stays":[{"Turns":[{"Do":"fail"}]}]}],"OnFailure":{"do":"skip_branch"}},{"Agent":"b","ID":"s2","Attempts":[{"Stays":[{"Turns":[{"Do":"fail"}]}]}],"OnFailure":{"do":"replan"}},{"Agent":"c","ID":"s3","Deps":["s1","s2"]}],"Proposals":[{"Steps":[{"ID":"t1","Agent":"d"}]}]}`,
		"the agent that has left is not asked again":                    `{"OnOrphan":{"do":"reassign","to":["a","c"]},"Order":"graph","Steps":[{"Agent":"c","Attempts":[{"Stays":[{"Turns":[{"Do":"transfer","To":"a"}]}]}],"ID":"s10"}]}`,
		"steps that wait for their next attempt while others stream in": `{"Order":"graph","More":true,"Parallel":1,"Supervisor":"boss","Steps":[{"Agent":"a","ID":"s1","Retry":1,"Accept":true},{"Agent":"b","ID":"s2"}],"Proposals":[{"Steps":[{"Agent":"c","ID":"t1"}],"More":true},{"Steps":[{"Agent":"c","ID":"t2"}],"More":true}]}`,
		"a plan that fails while others stream in":                      `{"More":true,"Order":"graph","Proposals":[{"More":true,"Steps":[{"Agent":"boss","ID":"t2"}]}],"Steps":[{"Agent":"b","ID":"s1"},{"Agent":"b","Deps":["s1"],"ID":"s2","Need":"s1","Retry":1},{"Agent":"boss","Deps":["s1","s1"],"ID":"s3"}]}`,
		"time stands still while the planner is asked":                  `{"More":true,"Order":"graph","Proposals":[{"More":true,"Steps":[{"Capability":"x","ID":"s1"}]},{"Steps":[{"Agent":"b","ID":"t5"}]}],"Signals":[2175000000001],"Steps":[{"Agent":"b","ID":"s1"},{"Agent":"d","Attempts":[{"Stays":[{"Turns":[{"Do":"wait"}]}]}],"ID":"s2"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := comparePlan(parseProgram(text))
			require.NoError(t, err)
		})
	}
}
