package openai

import (
	"context"
	"iter"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
)

// Model is a model at a server with OpenAI's wire form. It may be used by
// several goroutines at once.
type Model struct {
	cfg    Config
	peer   *wire.Peer
	client sdk.ChatCompletionService
}

// New makes a Model. Nothing is sent. An error says which field of the Config
// cannot be used; the key is in none.
func New(c Config) (*Model, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c, peer: wire.NewPeer(c.Provider, c.Name, c.Key, c.Header)}
	// The service, and not the client: the client reads the environment.
	m.client = sdk.NewChatCompletionService(m.options()...)
	return m, nil
}

func (m *Model) options() []option.RequestOption {
	out := []option.RequestOption{
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
// own reader of streams cannot tell an end from a cut, and takes an error that
// is null for an error.
func (m *Model) send(ctx context.Context, r *model.Request) (*http.Response, error) {
	body, err := m.params(r)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var res *http.Response
	stream := m.client.NewStreaming(ctx, body, option.WithResponseInto(&res))
	if err := stream.Err(); err != nil {
		return nil, m.peer.Lost(ctx, model.Invalid, err) // it was not sent
	}
	return res, nil
}
