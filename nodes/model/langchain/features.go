package langchain

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// features is what a client sends of a request; what it does not send it drops
// without a word.
type features struct {
	tools    bool // tools, calls and results
	choice   bool // whether and which tool is called
	topP     bool
	stop     bool
	seed     bool // but 0
	json     bool // that the answer is JSON
	images   bool // as data
	links    bool // images by their address
	files    bool // data that is no image
	together bool // results of a turn must be one message
	// temperature is sent where none is asked for, because the client sends 0
	// then: the provider's default. 0: the client keeps to its own.
	temperature float64
	instead     string // what to use for what is lacking
}

// features is the table of kinds and features.
func (k Kind) features() features {
	switch k {
	case OpenAI:
		return features{
			tools: true, choice: true, stop: true, seed: true, json: true, images: true, links: true,
			temperature: 1, instead: "use the package openai",
		}
	case Anthropic:
		return features{
			tools: true, topP: true, stop: true, images: true,
			temperature: 1, instead: "use the package anthropic",
		}
	case Ollama:
		return features{
			topP: true, stop: true, seed: true, json: true, images: true,
			temperature: 0.8, instead: "use the package openai with Ollama's address and /v1 behind it",
		}
	case GoogleAI:
		return features{
			tools: true, topP: true, stop: true, json: true, images: true, files: true, together: true,
			instead: "use the package openai with Gemini's OpenAI-compatible address",
		}
	case Mistral:
		return features{instead: "use the package openai with Mistral's address"}
	case TextOnly:
		return features{topP: true, stop: true, seed: true, instead: "use the package openai if the provider has OpenAI's wire form, or set Kind to Other"}
	}
	return features{
		tools: true, choice: true, topP: true, stop: true, seed: true, images: true, links: true, files: true,
		instead: "use another client",
	}
}

// refuse tells what of a request the client would drop, or nil.
func (m *Model) refuse(r *model.Request) error {
	f := m.cfg.Kind.features()
	for _, c := range []struct {
		lost bool
		what string
	}{
		{len(r.Tools) > 0 && !f.tools, "tools and their results"},
		{m.loseChoice(r, f), fmt.Sprintf("the choice %q of a tool", r.Choice)},
		{len(r.Tools) > 0 && r.OneCall, "that at most one tool is to be called"},
		{r.TopP != nil && !f.topP, "top p"},
		{r.TopP != nil && *r.TopP == 0 && m.cfg.Kind != GoogleAI, "a top p of 0"},
		{len(r.Stop) > 0 && !f.stop, "texts that end the answer"},
		{r.Seed != nil && !f.seed, "a seed"},
		{r.Seed != nil && *r.Seed == 0, "a seed of 0"},
		{m.loseTemperature(r), "a temperature to models of this name"},
	} {
		if c.lost {
			return m.unsupported(c.what + " would be lost")
		}
	}
	for i, msg := range r.Messages {
		if what := loseMessage(msg, f); what != "" {
			return m.unsupported(fmt.Sprintf("message %d: %s", i, what))
		}
	}
	return nil
}

func (m *Model) unsupported(what string) error {
	return m.failure(model.Unsupported, fmt.Sprintf("with langchaingo's client (%s) %s: %s",
		m.cfg.Kind, what, m.cfg.Kind.features().instead))
}

// loseChoice says that a choice is asked for that cannot be made by leaving the
// tools out. Calls in the conversation need tools beside them.
func (m *Model) loseChoice(r *model.Request, f features) bool {
	if f.choice || r.Choice == model.ChoiceAuto || len(r.Tools) == 0 {
		return false
	}
	return r.Choice != model.ChoiceNone || calls(r.Messages)
}

func calls(messages []state.Message) bool {
	for _, msg := range messages {
		if len(msg.ToolCalls) > 0 || msg.Role == state.RoleTool {
			return true
		}
	}
	return false
}

// loseTemperature knows the names for which OpenAI's client sends none.
func (m *Model) loseTemperature(r *model.Request) bool {
	if m.cfg.Kind != OpenAI || r.Temperature == nil || *r.Temperature == 1 {
		return false
	}
	for _, begin := range []string{"o1-", "o3-", "gpt-5"} {
		if strings.HasPrefix(m.cfg.Name, begin) {
			return true
		}
	}
	return m.cfg.Name == "o3"
}

// loseMessage tells what of a message would be lost; empty: nothing.
func loseMessage(msg state.Message, f features) string {
	switch {
	case !f.tools && (len(msg.ToolCalls) > 0 || msg.Role == state.RoleTool):
		return "tool calls and results would be lost"
	case msg.Name != "" && msg.Role != state.RoleTool:
		return "the name of the speaker would be lost (a conversation projected with the profile of Info has none)"
	}
	for _, p := range msg.Content {
		if what := losePart(p, msg.Role, f); what != "" {
			return what
		}
	}
	return ""
}

func losePart(p state.Part, role state.Role, f features) string {
	image := strings.HasPrefix(p.MIME, "image/")
	switch {
	case p.Type == "text":
		return ""
	case role != state.RoleHuman:
		return fmt.Sprintf("a part of the type %q in a message of the role %q would be lost", p.Type, role)
	case len(p.Data) > 0 && (image && f.images || !image && f.files):
		return ""
	case len(p.Data) == 0 && p.URL != "" && p.Type == "image" && f.links:
		return ""
	case len(p.Data) == 0 && p.URL != "":
		return fmt.Sprintf("a part of the type %q cannot be given by its address", p.Type)
	}
	return fmt.Sprintf("a part of the type %q (%s) would be lost", p.Type, p.MIME)
}
