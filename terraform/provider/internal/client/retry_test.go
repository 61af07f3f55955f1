package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answers in their order; the last one stays.
func serve(t *testing.T, answers ...http.HandlerFunc) (*Client, *int) {
	t.Helper()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		each := answers[min(asked, len(answers)-1)]
		asked++
		each(w, r)
	}))
	t.Cleanup(server.Close)
	made, err := New(Settings{Endpoint: server.URL + "/", Token: "secret-token", Namespace: "sless-x", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return made, &asked
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for index := 0; index+1 < len(headers); index += 2 {
			w.Header().Set(headers[index], headers[index+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

const ensured = `{"namespace": "sless-x", "status": "exists"}`

func TestWhatCannotBeDoneNowIsAskedAgain(t *testing.T) {
	at := "Retry-After"
	for name, first := range map[string]http.HandlerFunc{
		"429":                        says(429, `{"error": "busy", "code": "TooManyRequests"}`, at, "0"),
		"500":                        says(500, "oops", at, "0"),
		"502":                        says(502, "<html>", at, "0"),
		"503":                        says(503, `{"error": "away", "code": "Unavailable"}`, at, "0"),
		"a conflict that will pass":  says(409, `{"error": "going", "code": "Conflict"}`, at, "0"),
		"a connection that is lost":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a date that is in the past": says(429, "", at, "Wed, 21 Oct 2015 07:28:00 GMT"),
	} {
		t.Run(name, func(t *testing.T) {
			client, asked := serve(t, first, says(200, ensured))
			if err := client.EnsureNamespace(context.Background()); err != nil || *asked != 2 {
				t.Errorf("asked %d times: %v", *asked, err)
			}
		})
	}
}

func TestWhatIsRefusedIsNotAskedAgainAndToldInWords(t *testing.T) {
	for want, answer := range map[string]http.HandlerFunc{
		"no (Forbidden)":                 says(403, `{"error": "no", "code": "Forbidden"}`),
		"two\n  one\n  other":            says(400, `{"error": "two", "code": "InvalidRequest", "details": ["one", "other"]}`),
		"there is one (AlreadyExists)":   says(409, `{"error": "there is one", "code": "AlreadyExists"}`),
		"not here (NotImplemented)":      says(501, `{"error": "not here", "code": "NotImplemented"}`),
		"which does not look like sless": says(404, "<html>nginx</html>"),
		"HTTP 302":                       says(302, "", "Location", "http://127.0.0.1:9/"),
		"cannot be read":                 says(200, "<html>"),
	} {
		client, asked := serve(t, answer)
		err := client.EnsureNamespace(context.Background())
		text := ""
		if err != nil {
			text = strings.Replace(err.Error(), " (InvalidRequest)", "", 1)
		}
		if *asked != 1 || !strings.Contains(text, want) {
			t.Errorf("asked %d times: %v, wanted %q", *asked, err, want)
		}
	}
}

func TestAProxysOwn404IsNoObjectThatIsGone(t *testing.T) {
	for body, want := range map[string]bool{
		"<html>": false,
		`{"error": "no namespace", "code": "NamespaceNotFound"}`: false,
		`{"error": "no function", "code": "NotFound"}`:           true,
	} {
		client, _ := serve(t, says(404, body))
		if _, err := client.GetFunction(context.Background(), "x"); IsNotFound(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAWaitForAnotherTryEndsWithTheInterrupt(t *testing.T) {
	client, _ := serve(t, says(429, "", "Retry-After", "3600"))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := client.EnsureNamespace(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestRetryAfterIsObeyedUpToAMinute(t *testing.T) {
	response := func(value string) *http.Response { return &http.Response{Header: http.Header{"Retry-After": {value}}} }
	for value, want := range map[string]time.Duration{"7": 7 * time.Second, "0": 0, "-5": 0, "86400": time.Minute} {
		if got := pause(time.Second, 30*time.Second, 3, response(value)); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	for attempt, want := range map[int]time.Duration{0: time.Second, 2: 4 * time.Second, 9: 30 * time.Second} {
		if got := pause(time.Second, 30*time.Second, attempt, response("5m")); got != want {
			t.Errorf("try %d: got %s, want %s", attempt, got, want)
		}
	}
}

func TestTheTokenGoesToTheEndpointAlone(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked elsewhere, with %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" || r.Header.Get("User-Agent") != "terraform-provider-sless/1" {
			t.Errorf("asked with %v", r.Header)
		}
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if err := client.EnsureNamespace(context.Background()); err == nil || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("got %v", err)
	}
}

func TestAnEndpointWhereNobodyIsIsToldSoon(t *testing.T) {
	client, err := New(Settings{Endpoint: "http://127.0.0.1:9", Token: "t", Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err = client.EnsureNamespace(context.Background())
	if err == nil || !strings.Contains(err.Error(), "refused") || time.Since(began) > 20*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}
