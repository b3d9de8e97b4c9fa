package langchain

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
)

// Config says what a Model is made of. Only Model is required.
type Config struct {
	Model llms.Model
	// Kind says which client Model is. Empty: found out from Model's type. Set it
	// where Model is a wrapper around a client.
	Kind Kind
	// Name is the model as the provider calls it. It is sent with each request,
	// but to GoogleAI, whose client takes it only when it is made. Empty: the
	// client's own, and Info does not tell it.
	Name string
	// Provider is told by Info and errors. Empty: the Kind's text.
	Provider string
	// Profile says what may be sent; nil: what fits the Kind. The client has no
	// place for names of messages, reasoning, and media outside human messages,
	// so a profile that allows them makes requests that are refused.
	Profile *transcript.Profile
	// StreamWithTools streams answers although tools are offered.
	StreamWithTools bool
	// Whole streams nothing, ever: for servers whose streams the client cannot
	// read.
	Whole bool
	// Secrets are taken out of all error texts: keys above all.
	Secrets []string
	// Options are for every request. What a request says itself goes before
	// them; streaming, tools and their choice are never taken from them.
	Options []llms.CallOption
}

// Model is a model of langchaingo as a model.Model. It may be called by several
// goroutines at once if the client may.
type Model struct{ cfg Config }

var (
	_ model.Model     = (*Model)(nil)
	_ model.Described = (*Model)(nil)
)

// ErrConfig is in every error of New.
var ErrConfig = errors.New("langchain: config")

// New makes a Model. Nothing is sent.
func New(cfg Config) (*Model, error) {
	v := reflect.ValueOf(cfg.Model)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%w: Model is nil: give it a model of langchaingo", ErrConfig)
	}
	if cfg.Kind == "" {
		cfg.Kind = kindOf(packageOf(v.Type()))
	}
	if !slices.Contains(kinds(), cfg.Kind) {
		return nil, fmt.Errorf("%w: the kind %q is unknown: there are %q", ErrConfig, cfg.Kind, kinds())
	}
	if cfg.Provider == "" {
		cfg.Provider = string(cfg.Kind)
	}
	if cfg.Profile == nil {
		cfg.Profile = cfg.Kind.profile()
	}
	cfg.Secrets = slices.Clone(cfg.Secrets)
	cfg.Options = slices.Clone(cfg.Options)
	return &Model{cfg: cfg}, nil
}

// Info tells what the model is.
func (m *Model) Info() model.Info {
	return model.Info{Provider: m.cfg.Provider, Name: m.cfg.Name, Profile: m.cfg.Profile}
}
