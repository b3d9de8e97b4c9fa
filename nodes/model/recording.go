package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

// recording is what the file of a call holds. A recording that was not left and
// has neither an error nor an End is of a stream that was cut off.
type recording struct {
	Provider string
	Model    string
	Request  *Request
	Chunks   []Chunk
	Err      error
	Left     bool // the reader did not read to the end, or its context ended
}

type wireRecording struct {
	Provider string            `json:"provider,omitempty"`
	Model    string            `json:"model,omitempty"`
	Request  json.RawMessage   `json:"request"`
	Chunks   []json.RawMessage `json:"chunks"`
	Error    *failure          `json:"error,omitempty"`
	Left     bool              `json:"left,omitempty"`
}

// fileName is the form of names of recordings.
var fileName = regexp.MustCompile(`^[0-9a-f]{16}-[1-9][0-9]*\.json$`)

// keyOf returns what the names of a request's recordings begin with.
func keyOf(i Info, r *Request) (string, error) {
	data, err := r.MarshalJSON()
	if err != nil {
		return "", fmt.Errorf("model: the request cannot be recorded: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", i.Provider, i.Name, data))
	return fmt.Sprintf("%x", sum[:8]), nil
}

// nameOf returns the name of the n-th recording of a request, from 1.
func nameOf(key string, n int) string { return fmt.Sprintf("%s-%d.json", key, n) }

// counter counts requests by their keys.
type counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// next returns how often a key has come, with this time.
func (c *counter) next(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[key]++
	return c.counts[key]
}

// write returns the text of the file.
func (f *recording) write() ([]byte, error) {
	request, err := f.Request.MarshalJSON()
	if err != nil {
		return nil, err
	}
	w := wireRecording{Provider: f.Provider, Model: f.Model, Request: request,
		Chunks: []json.RawMessage{}, Error: failureOf(f.Err), Left: f.Left}
	for _, c := range f.Chunks {
		form, ok := wireOf(c)
		if !ok {
			return nil, fmt.Errorf("a chunk of the type %T has no JSON form", c)
		}
		data, err := encode(form, "")
		if err != nil {
			return nil, err
		}
		w.Chunks = append(w.Chunks, data)
	}
	data, err := encode(w, "  ")
	return append(data, '\n'), err
}

// readRecording reads the text of a file.
func readRecording(data []byte) (*recording, error) {
	var w wireRecording
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, fmt.Errorf("%s: %w", place(data, syntax.Offset), err)
	}
	if err := decode(data, &w); err != nil {
		return nil, err
	}
	if w.Request == nil {
		return nil, errors.New("there is no request")
	}
	var asked wireRequest
	if err := decode(w.Request, &asked); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	r := Request(asked)
	f := &recording{Provider: w.Provider, Model: w.Model, Request: &r, Left: w.Left, Err: w.Error.err()}
	for i, raw := range w.Chunks {
		var form wireChunk
		err := decode(raw, &form)
		if err != nil {
			return nil, fmt.Errorf("chunks[%d]: %w", i, err)
		}
		c, err := form.chunk()
		if err != nil {
			return nil, fmt.Errorf("chunks[%d]: %w", i, err)
		}
		f.Chunks = append(f.Chunks, c)
	}
	return f, nil
}

// place tells where the byte before an offset is.
func place(data []byte, offset int64) string {
	before := data[:max(min(int(offset), len(data))-1, 0)]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}

// save writes the file as a whole or not at all.
func (f *recording) save(dir, name string) (err error) {
	data, err := f.write()
	if err != nil {
		return fmt.Errorf("model: the call cannot be recorded: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("model: the call cannot be recorded: %w", err)
		}
	}()
	t, err := os.CreateTemp(dir, ".recording-*")
	if err != nil {
		return err
	}
	_, err = t.Write(data)
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	return nil
}

// loadRecording reads a file. Its errors tell file and place.
func loadRecording(dir, name string) (*recording, error) {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("model: recording: %w", err)
	}
	f, err := readRecording(data)
	if err != nil {
		return nil, fmt.Errorf("model: recording %s: %w; mend it or record anew", path, err)
	}
	return f, nil
}

// names returns the names of all recordings in a directory, sorted.
func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if fileName.MatchString(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, err
}
