package nodes_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// What announces a handoff, and what only sounds like it.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	for text, announces := range map[string]bool{
		"I will hand you over to billing.":                                       true,
		"I'll transfer you to billing now.":                                      true,
		"I’ll pass you on to our billing team.":                                  true,
		"I am transferring you to the billing specialist.":                       true,
		"I'm handing this over to Billing Desk.":                                 true,
		"Let me connect you with billing.":                                       true,
		"Let me go ahead and forward your case to billing.":                      true,
		"I need to escalate this to billing.":                                    true,
		"I should delegate this to the billing agent.":                           true,
		"We will route your request to billing!":                                 true,
		"We're redirecting you to billing":                                       true,
		"I am going to refer you to billing.":                                    true,
		"Transferring you to billing...":                                         true,
		"Okay, handing over to billing.":                                         true,
		"Sure! Connecting you with a colleague in billing.":                      true,
		"One moment, passing this on to billing.":                                true,
		"This is about money. I'll therefore hand it to billing.":                true,
		"I must delegate the refund to *billing*.":                               true,
		"I'll ask billing.":                                                      true,
		"Let me consult the billing specialist about it.":                        true,
		"Let me bring in billing for that.":                                      true,
		"I will put you through to billing.":                                     true,
		"I'll turn it over to \"billing\" at once.":                              true,
		"Here is what I know so far:\n- 3 invoices\n\nI'll escalate to billing.": true,
		"Escalating to billing.":                                                 true,
		"Delegating this to billing":                                             true,
		"I'll involve billing.":                                                  true,
		"I will now immediately transfer you to BILLING":                         true,

		"The transfer of funds to billing was made.":               false,
		"I handed the form over yesterday.":                        false,
		"I handed the form over to billing yesterday.":             false,
		"I have transferred the money to billing.":                 false,
		"You can contact billing.":                                 false,
		"You should contact billing about it.":                     false,
		"Please hand the form over to billing.":                    false,
		"Should I transfer you to billing?":                        false,
		"Shall I hand you over to billing?":                        false,
		"I can transfer you to billing.":                           false,
		"I could connect you with billing, if you like.":           false,
		"If it happens again I'll transfer you to billing.":        false,
		"Let me know if I should hand you over to billing.":        false,
		"I will not transfer you to billing.":                      false,
		"I won't escalate this to billing.":                        false,
		"I'm not going to hand this to billing.":                   false,
		"I don't need to escalate this to billing.":                false,
		"I'll explain how a transfer to billing works.":            false,
		"Let me explain the transfer to billing.":                  false,
		"I'll transfer the billing data to your computer.":         false,
		"I will pass the time until billing answers.":              false,
		"I'm passing by; billing is closed.":                       false,
		"Billing will transfer the money to you.":                  false,
		"Billing handed it over to me.":                            false,
		"I'll transfer you to shipping or so.":                     false,
		"I will hand you over to marketing.":                       false,
		"I'm connected to billing's database.":                     false,
		"The invoice says: forward to billing.":                    false,
		"I'll answer that myself: billing hours are nine to five.": false,
		"I am referring to the billing you got in May.":            false,
		"I need to transfer 5 dollars to pay for the billing.":     false,
		"Billing is where refunds are handed out.":                 false,
		"Hand the form over to billing.":                           false,
		"Forward it to billing, then wait.":                        false,
		"Ask billing.":                                             false,
		"Okay, ask billing about it.":                              false,
		"I will refer to billing hours below.":                     false,
		"I will hand you over to billings.":                        false,
		"":                                                         false,
	} {
		if text == "" {
			continue // another matter: see TestEmptyAnswers
		}
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			front := labScript(t, labSay(text), labSay("Well."))
			b := labMember("billing", labScript(t))
			b.Profile.Name = "Billing Desk"
			res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, labMember("front", front), b), "Go.")
			require.Equal(t, announces, len(front.requests()) == 2)
			require.Empty(t, labLog(&res.State))
		})
	}
}

// What becomes of an announcement, by policy.
func TestAnnouncedHandoffX58(t *testing.T) {
	t.Parallel()
	said := "I will hand you over to billing."
	for name, tt := range map[string]struct {
		policy nodes.Announced
		tries  int
		kind   handoffs.Kind
		second bool // the model calls the tool when it is asked
		asked  int
		log    []string
	}{
		"asked, and it calls":          {nodes.AskOnce, 0, "", true, 2, []string{"transfer front>billing completed"}},
		"asked, and it does not":       {nodes.AskOnce, 0, "", false, 2, nil},
		"routed, and it calls":         {nodes.AutoRoute, 0, "", true, 2, []string{"transfer front>billing completed"}},
		"routed, and it does not":      {nodes.AutoRoute, 0, "", false, 2, []string{"transfer front>billing completed"}},
		"routed as a call":             {nodes.AutoRoute, 0, handoffs.Call, false, 3, []string{"call front>billing returned"}},
		"routed at once":               {nodes.AutoRoute, -1, "", false, 1, []string{"transfer front>billing completed"}},
		"as it is":                     {nodes.TakeAsIs, 0, "", false, 1, nil},
		"as it is, without being told": {nodes.AskOnce, -1, "", false, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := labSay(said)
			if tt.second {
				second = labCalls(labHand("h", "billing", false))
			}
			front := labScript(t, labSay(said), second, labSay("over"))
			f := labMember("front", front)
			f.Agent.Handoffs = nodes.Handoffs{Announced: tt.policy, Tries: tt.tries, Kind: tt.kind}
			billing := labScript(t, labSay("paid"))
			res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, f, labMember("billing", billing)), "Go.")
			require.Len(t, front.requests(), tt.asked)
			require.Equal(t, tt.log, labLog(&res.State))
			if tt.asked >= 2 {
				last := front.requests()[1].Messages
				require.Equal(t, state.RoleHuman, last[len(last)-1].Role)
				require.Contains(t, last[len(last)-1].Text(), "You said that you hand over to billing, but no tool was called")
			}
			require.NotContains(t, labLines(res.State.Messages), "no tool was called", "that is no part of the conversation")
			if tt.log != nil && !tt.second {
				require.Contains(t, labLines(billing.requests()[0].Messages), "hand you over", fmt.Sprint("it knows why: ", labLines(billing.requests()[0].Messages)))
			}
		})
	}
}

// Where nobody is there to hand to nothing is announced.
func TestNothingToAnnounce(t *testing.T) {
	t.Parallel()
	front := labScript(t, labSay("I will hand you over to billing."))
	g := labTeam(t, &handoffs.Policy{Entry: "front", Edges: []handoffs.Edge{{From: []string{"billing"}, To: []string{"front"}}}, Limits: handoffs.Limits{Handoffs: 3}}, nil, labMember("front", front), labMember("billing", labScript(t)))
	labAsk(t, g, "Go.")
	require.Len(t, front.requests(), 1)
}
