package crash_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// exchange is the models' server, in the process of the test. It knows which
// process asks, by the address that it was given, and kills the one at work.
type exchange struct {
	stub *llmstub.Server
	web  *httptest.Server
	know map[string]reply // of an undisturbed errand: how requests are answered; nil: nothing

	mu    sync.Mutex
	hit   hit
	life  int
	child *child // at work
	count int64  // requests of this life
	asked []request
}

// request is one that came: from which life, and all that it said.
type request struct {
	life int
	text string
	reply
}

// reply is how a request was answered.
type reply struct {
	name   string // of the answer in the script; "": none
	writes int    // pieces that were sent
}

// openExchange opens a server until the test ends.
func openExchange(t *testing.T, errand string, know map[string]reply) *exchange {
	x := &exchange{stub: llmstub.Handler(scriptOf(errand)), know: know, life: 1}
	x.web = httptest.NewServer(x)
	t.Cleanup(func() {
		x.stub.Close()
		x.web.Close()
		require.Empty(t, x.stub.Unexpected())
	})
	return x
}

// url is the address for a life.
func (x *exchange) url(life int) string { return x.web.URL + "/" + strconv.Itoa(life) }

// start starts the process of a life.
func (x *exchange) start(o *order) (*child, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hit, x.life, x.count = o.Errand.Hit, o.Errand.Life, 0
	var err error
	x.child, err = start(o)
	return x.child, err
}

// take notes a request, and says when its process is to be killed; false: never.
func (x *exchange) take(r *request) (when instant, due bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if r.life == x.life {
		x.count++
	}
	return x.hit.When, r.life == x.life && x.hit.N == x.count
}

func (x *exchange) keep(r *request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = append(x.asked, *r)
}

// requests are those that came.
func (x *exchange) requests() []request {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asked[:len(x.asked):len(x.asked)]
}

// ServeHTTP answers as the script says, unless the one that asks is killed.
func (x *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	life, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(r.Body)
	n, bad := strconv.Atoi(life)
	if errors.Join(err, bad) != nil {
		http.Error(w, "who asks?", http.StatusBadRequest)
		return
	}
	q := &request{life: n, text: path + "\n" + string(body)}
	defer x.keep(q)
	when, due := x.take(q)
	out := &sending{ResponseWriter: w, kill: func() { x.kill(r) }}
	switch {
	case due && when == modelAsked:
		x.kill(r)
		return
	case due && when == modelHalfway:
		out.most = max(1, x.know[q.text].writes/2)
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.Body = "/"+path, io.NopCloser(bytes.NewReader(body))
	x.stub.ServeHTTP(out, inner)
	q.reply = reply{string(answerNames.Find(out.sent.Bytes())), out.writes}
	if due && when == modelAnswered {
		out.Flush()
		x.kill(r)
	}
}

var answerNames = regexp.MustCompile(`answer-\d+\.`)

// kill kills the process at work, unless it has just ended, and waits until the
// one that asked is gone.
func (x *exchange) kill(r *http.Request) {
	x.mu.Lock()
	err := x.child.cmd.Process.Kill()
	x.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(err)
	}
	<-r.Context().Done()
}

// sending is an answer that is sent, of which at most some pieces get away.
type sending struct {
	http.ResponseWriter
	kill   func()
	most   int // pieces, before the one that asked is killed; 0: all
	writes int
	sent   bytes.Buffer
}

var errNobodyReads = errors.New("nobody reads any more")

func (s *sending) Write(p []byte) (int, error) {
	if s.most > 0 && s.writes == s.most {
		s.Flush()
		s.kill()
		return 0, errNobodyReads
	}
	s.writes++
	s.sent.Write(p)
	return s.ResponseWriter.Write(p)
}

func (s *sending) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() } // the reader may be gone
