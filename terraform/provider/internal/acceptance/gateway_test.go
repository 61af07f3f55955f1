package acceptance

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// gateway stands before the platform, as a proxy of an installation does, and misbehaves.
type gateway struct {
	*httptest.Server
	mutex sync.Mutex
	// asked counts requests by method and path.
	asked map[string]int
}

// trouble is asked about every request, with how often it came before; true: it has answered.
type trouble func(w http.ResponseWriter, r *http.Request, before int, forward http.Handler) bool

func newGateway(t *testing.T, make trouble) *gateway {
	t.Helper()
	target, err := url.Parse(local.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	made := &gateway{asked: map[string]int{}}
	made.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before := made.count(r.Method + " " + r.URL.Path); !make(w, r, before, forward) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(made.Close)
	return made
}

func (g *gateway) count(what string) int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	before := g.asked[what]
	g.asked[what]++
	return before
}
