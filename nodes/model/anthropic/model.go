package anthropic

import (
	"context"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
)

// Model is a model of Anthropic's, or at a server with the same wire form. It
// may be used by several goroutines at once.
type Model struct {
	cfg    Config
	peer   *wire.Peer
	client sdk.Client
}

// New makes a Model. Nothing is sent. An error says which field of the Config
// cannot be used; the key is in none.
func New(c Config) (*Model, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c, peer: wire.NewPeer(c.Provider, c.Name, c.Key, c.Header)}
	m.client = sdk.NewClient(m.options()...)
	return m, nil
}

func (m *Model) options() []option.RequestOption {
	out := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(m.cfg.BaseURL), option.WithHTTPClient(m.cfg.HTTP), option.WithMaxRetries(0),
		option.WithMiddleware(m.peer.Send),
	}
	if m.cfg.Key != "" {
		out = append(out, option.WithAPIKey(m.cfg.Key))
	}
	for name, value := range m.cfg.Header {
		out = append(out, option.WithHeader(name, value))
	}
	return out
}

// Info tells the provider, the model's name and what the server takes.
func (m *Model) Info() model.Info {
	return model.Info{Provider: m.cfg.Provider, Name: m.cfg.Name, Profile: m.cfg.Profile}
}

// Stream asks the model.
func (m *Model) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		a := answer{peer: m.peer, yield: yield}
		m.peer.Tell(ctx, yield, func() (*http.Response, error) { return m.send(ctx, r) }, a.read)
	}
}

// send sends a request and returns the answer before it is read. The client's
// own way to stream writes warnings to stderr, and its reader passes over what
// has no name and cannot tell an end from a cut.
func (m *Model) send(ctx context.Context, r *model.Request) (*http.Response, error) {
	body, err := m.params(r)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var res *http.Response
	if err := m.client.Post(ctx, "v1/messages", body, &res, option.WithJSONSet("stream", true)); err != nil {
		return nil, m.peer.Lost(ctx, model.Invalid, err) // it was not sent
	}
	return res, nil
}
