package acceptance

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestABuildThatFailsTaintsTheFunctionAndSaysWhy(t *testing.T) {
	s := newStage(t)
	s.write("package.json", `{"dependencies": {"x": "file:./missing.tgz"}}`)
	s.run(
		resource.TestStep{
			Config:      s.function(),
			ExpectError: regexp.MustCompile(`(?s)` + s.name + ` is not ready.*missing\.tgz`),
		},
		resource.TestStep{
			PreConfig:        func() { s.write("package.json", `{}`) },
			Config:           s.function(),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionDestroyBeforeCreate)),
		},
	)
}

func TestAnUpdateThatFailsIsPlannedAgainAndTheOldVersionServes(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.function()},
		resource.TestStep{
			PreConfig:   func() { s.write("package.json", `{"dependencies": {"x": "file:./missing.tgz"}}`) },
			Config:      s.function(),
			ExpectError: regexp.MustCompile(`(?s)is not ready.*missing\.tgz`),
		},
		resource.TestStep{
			// Nothing was changed since, and still it is no state to leave alone.
			Config:      s.function(),
			ExpectError: regexp.MustCompile(`(?s)is not ready.*missing\.tgz`),
		},
		resource.TestStep{
			PreConfig:         func() { s.write("package.json", `{}`) },
			Config:            s.function(),
			ConfigPlanChecks:  plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{has("phase", knownvalue.StringExact("Ready"))},
		},
	)
}

func TestCodeThatTheApiRefusesTaintsTheFunction(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.function(`entrypoint = "nowhere.handle"`), ExpectError: regexp.MustCompile(`EntrypointNotFound`)},
		resource.TestStep{Config: s.function(), ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionDestroyBeforeCreate))},
	)
}

func TestABusyAndABrokenGatewayAreAskedAgain(t *testing.T) {
	s := newStage(t)
	busy := newGateway(t, func(w http.ResponseWriter, r *http.Request, before int, _ http.Handler) bool {
		switch {
		case before == 0:
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error": "busy", "code": "TooManyRequests"}`, http.StatusTooManyRequests)
		case before == 1 && r.Method == http.MethodPost:
			w.Header().Set("Retry-After", "0")
			http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
		default:
			return false
		}
		return true
	})
	s.endpoint = busy.URL
	s.run(resource.TestStep{Config: s.function(), ConfigStateChecks: []statecheck.StateCheck{has("phase", knownvalue.StringExact("Ready"))}})
}

func TestACreateWhoseAnswerIsLostIsNoOrphanAndNoConflict(t *testing.T) {
	s := newStage(t)
	losing := newGateway(t, func(w http.ResponseWriter, r *http.Request, before int, forward http.Handler) bool {
		isCreate := r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/functions") || strings.HasSuffix(r.URL.Path, "/triggers") || strings.HasSuffix(r.URL.Path, "/jobs"))
		if !isCreate || before > 0 {
			return false
		}
		forward.ServeHTTP(httptest.NewRecorder(), r)
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusGatewayTimeout)
		return true
	})
	s.endpoint = losing.URL
	s.run(resource.TestStep{Config: s.config(jobText("run_id = 1") + triggerText("web", `type = "http"`))})
}

func TestANameThatSomebodyElseHasIsAConflict(t *testing.T) {
	s := newStage(t)
	twice := strings.Replace(functionText(), `"greet"`, `"other"`, 1)
	twice = strings.Replace(twice, "CODE\"\n", "CODE\"\n  depends_on = [sless_function.greet]\n", 1)
	s.run(
		resource.TestStep{Config: s.config(functionText() + twice), ExpectError: regexp.MustCompile(`(?s)was not created.*AlreadyExists`)},
		resource.TestStep{Config: s.function(), ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan())},
	)
}

func TestWhoeverMayNotIsTold(t *testing.T) {
	s := newStage(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(refusing.Close)
	fine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(fine.Close)
	with := func(line string) string {
		return strings.Replace(s.function(), "provider \"sless\" {", "provider \"sless\" {\n"+line, 1)
	}
	s.run(
		resource.TestStep{Config: with(`nubes_endpoint = "` + refusing.URL + `"`), ExpectError: regexp.MustCompile(`refuses the token \(HTTP\s+403\)`)},
		resource.TestStep{Config: with(`nubes_endpoint = "http://127.0.0.1:9"`), ExpectError: regexp.MustCompile(`cannot be\s+reached`)},
		resource.TestStep{Config: with(`namespace = "sless-0000000000000000"`), ExpectError: regexp.MustCompile(`(?s)cannot be used.*Forbidden`)},
		resource.TestStep{Config: strings.Replace(s.function(), "token    = \""+local.token, "token    = \"x"+local.token, 1), ExpectError: regexp.MustCompile(`no JWT|Unauthenticated`)},
		resource.TestStep{Config: with(`nubes_endpoint = "` + fine.URL + `"`)},
	)
}
