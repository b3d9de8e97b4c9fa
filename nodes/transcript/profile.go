package transcript

// Profile says what a provider takes. The zero value is the strictest: each
// field allows something more. A Profile is not changed by this package and may
// be used concurrently.
type Profile struct {
	// RepeatRoles allows several human, AI or system messages in a row.
	RepeatRoles bool
	// AnyFirst allows the first message behind the system's to be the AI's.
	AnyFirst bool
	// AnyLast allows the last message to be the AI's or the system's; else it
	// is a human's or a result.
	AnyLast bool
	// SystemAnywhere allows system messages behind others.
	SystemAnywhere bool
	// EmptyText allows texts without a word, and messages without content.
	EmptyText bool
	// Names allows names of human, AI and system messages: letters, digits,
	// "_" and "-", at most 64.
	Names bool
	// AnyResultName allows results whose name is not that of the tool called.
	AnyResultName bool
	// FreeIDs allows calls without an id, and ids that are used again; for
	// providers that are not sent ids.
	FreeIDs bool
	// IDMax is the longest id of a call in bytes, at least 9; 0 stands for 40,
	// a negative number for no limit. With FreeIDs it says nothing.
	IDMax int
	// ToolChars are characters that names of tools may have beside letters,
	// digits, "_" and "-".
	ToolChars string
	// MediaInResults allows images and other parts than text in results.
	MediaInResults bool
	// MediaFromAI allows them in AI messages. Human messages may have them
	// with every profile, system messages with none.
	MediaFromAI bool
	// Reasoning names whose signed reasoning the provider takes: a part of the
	// type "reasoning" whose MIME is this text and whose Data, the signature,
	// is not empty. Empty: none.
	Reasoning string
}

// TypeReasoning is the type of a part with a model's reasoning: Text is what it
// thought and may be empty, Data the provider's signature, and MIME says whose
// signature it is.
const TypeReasoning = "reasoning"

// The values of MIME in reasoning parts, and of Profile.Reasoning.
const (
	SignedAnthropic = "anthropic"
	SignedOpenAI    = "openai" // the encrypted content of a reasoning item
	SignedGemini    = "gemini"
)

// OpenAI is the profile of OpenAI's chat completions. Reasoning is not sent.
func OpenAI() *Profile {
	return &Profile{
		RepeatRoles: true, AnyFirst: true, AnyLast: true, SystemAnywhere: true,
		EmptyText: true, Names: true, AnyResultName: true,
	}
}

// Responses is the profile of OpenAI's responses, without a conversation held by
// the server: reasoning items are sent back with their encrypted content,
// before the call that came of them, and calls without results are refused.
func Responses() *Profile {
	return &Profile{
		RepeatRoles: true, AnyFirst: true, AnyLast: true, SystemAnywhere: true,
		EmptyText: true, AnyResultName: true, IDMax: 64, MediaInResults: true, Reasoning: SignedOpenAI,
	}
}

// Bedrock is the profile of Converse of Amazon Bedrock: human and AI by turns,
// no blank text, all results of a turn behind it. Reasoning is Anthropic's, whose
// signatures hold there too.
func Bedrock() *Profile {
	return &Profile{AnyResultName: true, IDMax: 64, MediaInResults: true, Reasoning: SignedAnthropic}
}

// Anthropic is the profile of Anthropic's messages. System messages are first,
// for they are sent apart from the others.
func Anthropic() *Profile {
	return &Profile{AnyResultName: true, IDMax: 64, MediaInResults: true, Reasoning: SignedAnthropic}
}

// Gemini is the profile of Gemini's contents: results are told apart by the
// tool's name and their order, and ids may be the names, again and again.
func Gemini() *Profile {
	return &Profile{FreeIDs: true, ToolChars: ".:", MediaFromAI: true, Reasoning: SignedGemini}
}

// Compatible is the profile of servers with OpenAI's wire form: Ollama, vLLM,
// llama.cpp, endpoints of that kind at others. They are stricter than OpenAI: one
// system message in front, then human and AI by turns, and some want the tool's
// name in its result.
func Compatible() *Profile {
	return &Profile{EmptyText: true}
}

// idMax returns the longest id; -1 for no limit.
func (p *Profile) idMax() int {
	switch {
	case p.IDMax == 0:
		return 40
	case p.IDMax < 0:
		return -1
	}
	return max(p.IDMax, 9)
}
