package assay

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"assay/internal/hook"
)

// step is what a server does for one request.
type step func(w http.ResponseWriter, r *http.Request)

// said answers with a status and a body in JSON. More fields of the header come in pairs.
func said(status int, body string, header ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for index := 0; index+1 < len(header); index += 2 {
			w.Header().Set(header[index], header[index+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// request is a request as it came.
type request struct {
	path   string
	header http.Header
	body   map[string]any
	from   string
}

// scriptedServer takes its steps in order, and remembers what it was asked.
type scriptedServer struct {
	*httptest.Server
	mutex    sync.Mutex
	requests []request
}

// newServer ends with the test. With TLS settings it listens with TLS.
func newServer(t *testing.T, settings *tls.Config, steps ...step) *scriptedServer {
	server := &scriptedServer{}
	server.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came := request{path: r.URL.Path, header: r.Header, from: r.RemoteAddr}
		if err := json.NewDecoder(r.Body).Decode(&came.body); err != nil {
			t.Error("a request is not JSON: ", err)
		}
		server.mutex.Lock()
		number := len(server.requests)
		server.requests = append(server.requests, came)
		server.mutex.Unlock()
		if number >= len(steps) {
			said(500, `{"code":"internal","message":"there is no further step"}`)(w, r)
			return
		}
		steps[number](w, r)
	}))
	// What clients refuse is for the tests to say.
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if settings != nil {
		server.TLS = settings
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func (s *scriptedServer) all() []request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]request(nil), s.requests...)
}

// newTestClient ends with the test. Its pauses do not wait: they are noted, and put its clock forward.
func newTestClient(t *testing.T, url string, options ...Option) (*Client, *[]time.Duration) {
	t.Helper()
	client, err := New(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	pauses, ahead := []time.Duration{}, time.Duration(0)
	client.clock = hook.Clock{
		Now: func() time.Time { return time.Now().Add(ahead) },
		Sleep: func(_ context.Context, pause time.Duration) error {
			pauses, ahead = append(pauses, pause), ahead+pause
			return nil
		},
		Chance: func() float64 { return 0.5 },
	}
	return client, &pauses
}
