package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func token(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"ES256"}`)) + "." + part([]byte(claims)) + ".c2lnbmF0dXJl"
}

func TestTheNamespaceIsThatOfTheSub(t *testing.T) {
	now := time.Unix(1000, 0)
	got, err := NamespaceOf(token(`{"sub": "local", "exp": 2000}`), now)
	if err != nil || got != "sless-25bf8e1a2393f110" {
		t.Errorf("got %s, %v", got, err)
	}
	for text, want := range map[string]string{
		"nonsense":                        "no JWT",
		token(`{"exp": 2000}`):            "no sub",
		token(`{"sub": "a", "exp": 999}`): "ended at 1970-01-01T00:16:39Z",
	} {
		if _, err := NamespaceOf(text, now); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestAnEndpointIsAnAddress(t *testing.T) {
	for _, endpoint := range []string{"", "sless.example.org", "ftp://x", "https://", "https://u:p@x", "https://x/?a=b"} {
		if _, err := New(Settings{Endpoint: endpoint}); err == nil {
			t.Errorf("%q was taken", endpoint)
		}
	}
}

func TestNubesRefusesOrIsThere(t *testing.T) {
	for status, want := range map[int]string{200: "", 204: "", 302: "", 404: "", 500: "", 401: "refuses the token", 403: "refuses the token"} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			if r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("asked with %v", r.Header)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		err := PingNubes(context.Background(), server.URL+"/v1", "secret")
		if fmt.Sprint(err) != "<nil>" && want == "" || want != "" && (err == nil || !strings.Contains(err.Error(), want)) || asked != 1 {
			t.Errorf("HTTP %d, asked %d times: %v", status, asked, err)
		}
		server.Close()
	}
	if err := PingNubes(context.Background(), "http://127.0.0.1:9", "secret"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("nobody there: %v", err)
	}
}
