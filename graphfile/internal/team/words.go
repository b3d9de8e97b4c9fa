package team

import (
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
)

// The words that files may use are those of package handoffs, but for those
// that are "" there: what is meant without the key has a word of its own.

func priorities() []handoffs.Priority {
	return []handoffs.Priority{handoffs.Urgent, handoffs.High, handoffs.Normal, handoffs.Low}
}

// handed are the kinds of what an edge may allow and a loop rule may count.
func handed() []handoffs.Kind {
	return []handoffs.Kind{handoffs.Transfer, handoffs.Call, handoffs.Escalate, handoffs.Spawn, handoffs.Resume, handoffs.Return}
}

func loopKeys() []handoffs.LoopKey {
	return []handoffs.LoopKey{
		handoffs.LoopTarget, handoffs.LoopEdge, handoffs.LoopDuplicate, handoffs.LoopCycle, handoffs.LoopUnique,
		handoffs.LoopQuota, handoffs.LoopProgress,
	}
}

func contextModes() []handoffs.ContextMode {
	return []handoffs.ContextMode{
		handoffs.ContextFull, handoffs.ContextLast, handoffs.ContextFields, handoffs.ContextArtifacts, handoffs.ContextSummary,
		handoffs.ContextBrief, handoffs.ContextNone, handoffs.ContextCustom,
	}
}

func actions() []handoffs.ActionKind {
	return []handoffs.ActionKind{
		handoffs.ToSource, handoffs.DoEscalate, handoffs.AskPerson, handoffs.DegradeTo, handoffs.FailRun, handoffs.EndRun,
	}
}

// codes are the codes of rejected and failed handoffs.
func codes() []handoffs.Code {
	return []handoffs.Code{
		handoffs.CodeSyntax, handoffs.CodeMissing, handoffs.CodeNotFound, handoffs.CodeUnavailable, handoffs.CodeSelf,
		handoffs.CodeSystem, handoffs.CodeSelectable, handoffs.CodeAccepts, handoffs.CodeCapability, handoffs.CodeNoProvider,
		handoffs.CodeEdge, handoffs.CodeGuard, handoffs.CodePayload, handoffs.CodeTransition, handoffs.CodeLoop,
		handoffs.CodeDeadlock, handoffs.CodeQuota, handoffs.CodeNoProgress, handoffs.CodeLimit, handoffs.CodeEconomic,
		handoffs.CodeAgents, handoffs.CodeDepth, handoffs.CodeTurns, handoffs.CodeBudget, handoffs.CodeDeadline,
		handoffs.CodeBreaker, handoffs.CodeApproval, handoffs.CodeExpired, handoffs.CodeStale, handoffs.CodeSuperseded,
		handoffs.CodeRefused, handoffs.CodeAcceptTime, handoffs.CodeFailed, handoffs.CodeCancelled, handoffs.CodeJoin,
		handoffs.CodeJoinTime, handoffs.CodeConflict, handoffs.CodeDisabled, handoffs.CodeToken, handoffs.CodeNoCall,
		handoffs.CodeLadder, handoffs.CodeMultiple, handoffs.CodeOrphan,
	}
}

// rest is the word for all codes that are not named beside it.
const rest = "default"

// codeOf reads a code that is the key of a map.
func (r *reader) codeOf(e source.Entry, allowRest bool) (handoffs.Code, bool) {
	if e.Key == rest && allowRest {
		return "", true
	}
	words := asTexts(codes())
	for _, w := range words {
		if e.Key == w {
			return handoffs.Code(w), true
		}
	}
	if allowRest {
		words = append(words, rest)
	}
	d := r.Rep.Unknown(e.KeyPos, "code", e.Key, words)
	if d.Hint == "" {
		d.Hint = "known are " + strings.Join(words, ", ")
	}
	return "", false
}

// action reads a word, or {route: AGENT}.
func (r *reader) action(n *source.Node, what string) handoffs.Action {
	if n == nil {
		return handoffs.Action{}
	}
	if n.Kind == source.Map {
		f := r.Rep.Fields(n, what)
		f.Need("route")
		a := handoffs.Action{Do: handoffs.RouteTo, Target: r.agentAt(f, "route")}
		f.Done()
		return a
	}
	words := asTexts(actions())
	word, ok := "", false
	if n.Kind == source.String {
		word, ok = r.Rep.OneOf(n, what, words...)
	} else {
		r.Rep.Errorf(n.Pos, "%s: expected an action, found %s", what, n.Kind).Hint = "write one of " + strings.Join(words, ", ") + ", or {route: AGENT}"
	}
	if !ok {
		return handoffs.Action{}
	}
	return handoffs.Action{Do: handoffs.ActionKind(word)}
}

func (r *reader) actionAt(f *source.Fields, key string) handoffs.Action {
	return r.action(f.Take(key), quote(key))
}

// onReject reads what becomes of rejected handoffs, by code.
func (r *reader) onReject(f *source.Fields, key string, onto map[handoffs.Code]handoffs.Action) map[handoffs.Code]handoffs.Action {
	entries := f.Entries(key)
	if len(entries) > 0 && onto == nil {
		onto = map[handoffs.Code]handoffs.Action{}
	}
	for _, e := range entries {
		if code, ok := r.codeOf(e, true); ok {
			onto[code] = r.action(e.Value, quote(e.Key))
		}
	}
	return onto
}
