package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sless.dev/terraform-provider-sless/internal/client"
)

// platform answers about one function, each time with the next of these; the last one stays.
func platform(t *testing.T, log string, shown ...map[string]any) *functionResource {
	t.Helper()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/build/logs") {
			_, _ = w.Write([]byte(log))
			return
		}
		_ = json.NewEncoder(w).Encode(shown[min(asked, len(shown)-1)])
		asked++
	}))
	t.Cleanup(server.Close)
	made, err := client.New(client.Settings{Endpoint: server.URL, Token: "t", Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	return &functionResource{client: made}
}

func state(phase, key, message, built string) map[string]any {
	conditions := []map[string]string{{"type": "Built", "status": built}}
	return map[string]any{"name": "f", "phase": phase, "s3_key": key, "message": message, "conditions": conditions}
}

func TestAFunctionIsWaitedForUntilItIsReadyWithTheCodeThatWasSent(t *testing.T) {
	r := platform(t, "", state("Pending", "k", "", ""), state("Building", "k", "", ""), state("Ready", "k", "", "True"))
	shown, err := r.untilReady(context.Background(), readiness{name: "f", key: "k", until: time.Now().Add(time.Minute)})
	if err != nil || shown.Phase != "Ready" {
		t.Errorf("got %s, %v", shown.Phase, err)
	}
}

func TestWhyAFunctionIsNotReadyIsSaid(t *testing.T) {
	for want, given := range map[string]struct {
		log   string
		shown map[string]any
	}{
		"npm failed\n\nThe end of the build log:\nENOENT": {log: "ENOENT\n", shown: state("Failed", "k", "npm failed", "False")},
		"npm failed: ENOENT":                              {log: "ENOENT\n", shown: state("Failed", "k", "npm failed: ENOENT", "False")},
		"it exits at once":                                {log: "built well", shown: state("Failed", "k", "it exits at once", "True")},
		"somebody else sent other code":                   {shown: state("Ready", "other", "", "True")},
		"it is still Building: step 3":                    {log: "compiling", shown: state("Building", "k", "step 3", "Unknown")},
	} {
		r := platform(t, given.log, given.shown)
		_, err := r.untilReady(context.Background(), readiness{name: "f", key: "k", until: time.Now()})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if strings.Count(err.Error(), "ENOENT") > 1 || strings.Contains(err.Error(), "built well") {
			t.Errorf("too much is said: %v", err)
		}
	}
}

func TestAWaitEndsWithTheInterrupt(t *testing.T) {
	r := platform(t, "", state("Building", "k", "", ""))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := r.untilReady(ctx, readiness{name: "f", key: "k", until: time.Now().Add(time.Hour)})
	if err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestAFunctionWithoutCodeIsNotWaitedFor(t *testing.T) {
	r := platform(t, "", state("Pending", "", "waiting for code", ""))
	if _, err := r.untilReady(context.Background(), readiness{name: "f", until: time.Now().Add(time.Hour)}); err != nil {
		t.Error(err)
	}
}
