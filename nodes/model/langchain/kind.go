package langchain

import (
	"reflect"
	"strings"

	"github.com/graphrun/graphrun/nodes/transcript"
)

// Kind is a client of langchaingo, for each loses other things.
type Kind string

// The kinds.
const (
	OpenAI    Kind = "openai"
	Anthropic Kind = "anthropic"
	Ollama    Kind = "ollama"
	GoogleAI  Kind = "googleai" // and Vertex
	Mistral   Kind = "mistral"
	// TextOnly is every other client of langchaingo: they drop tools.
	TextOnly Kind = "text"
	// Other is a model that langchaingo does not have. It is taken to carry tools,
	// in one message per result, and to make use of all options.
	Other Kind = "other"
)

func kinds() []Kind {
	return []Kind{OpenAI, Anthropic, Ollama, GoogleAI, Mistral, TextOnly, Other}
}

// packageOf is the package of a client's type.
func packageOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}

// kindOf finds the kind of a client by its package.
func kindOf(pkg string) Kind {
	path, ours := strings.CutPrefix(pkg, "github.com/tmc/langchaingo/llms/")
	if !ours {
		return Other
	}
	switch path {
	case "openai":
		return OpenAI
	case "anthropic":
		return Anthropic
	case "ollama":
		return Ollama
	case "googleai", "googleai/vertex":
		return GoogleAI
	case "mistral":
		return Mistral
	case "cache", "fake": // a wrapper, and answers from a list
		return Other
	}
	return TextOnly
}

// profile is what may be sent by a client of the kind: what its provider takes,
// less what the client has no place for.
func (k Kind) profile() *transcript.Profile {
	p := transcript.Compatible()
	switch k {
	case OpenAI:
		p = transcript.OpenAI()
	case Anthropic:
		p = transcript.Anthropic()
	case GoogleAI:
		p = transcript.Gemini()
	}
	p.Names, p.Reasoning, p.MediaInResults, p.MediaFromAI = false, "", false, false
	return p
}

// tellsStop says that the client tells why the model stopped, whenever the answer
// is whole.
func (k Kind) tellsStop() bool {
	return k == OpenAI || k == Anthropic || k == GoogleAI || k == Mistral
}

// streams says that a stream can be read and left without harm.
func (k Kind) streams() bool { return k != Mistral }

// blocks says that the choices of an answer are its pieces, not alternatives.
func (k Kind) blocks() bool { return k == Anthropic || k == TextOnly || k == Other }
