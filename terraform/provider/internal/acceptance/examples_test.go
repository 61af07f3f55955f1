package acceptance

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sless.dev/terraform-provider-sless/internal/api"
)

func TestTheCompleteExampleIsAppliedLeftAloneAndRedeployedWithOneChange(t *testing.T) {
	w := newWorkspace(t, "complete")
	contains(t, w.done("apply", "-auto-approve"), "Resources: 5 added, 0 changed, 0 destroyed.", `first_greeting = "Hello, Ada!"`)
	contains(t, w.done("plan", "-detailed-exitcode"), "No changes.")

	w.write("greeter/handler.mjs", strings.Replace(w.read("greeter/handler.mjs"), "}!`", "}, and welcome!`", 1))
	planned, code := w.run("plan", "-detailed-exitcode", "-out=plan")
	if code != 2 {
		t.Fatalf("the plan of a changed handler ended with %d:\n%s", code, planned)
	}
	contains(t, planned, "sless_function.greeter will be updated in-place", "Plan: 0 to add, 1 to change, 0 to destroy.")
	contains(t, w.done("apply", "plan"), "Resources: 0 added, 1 changed, 0 destroyed.")
	if said := get(t, strings.TrimSpace(w.done("output", "-raw", "url"))); said != `{"message":"Hello, world, and welcome!"}` {
		t.Errorf("the function says %s", said)
	}
	contains(t, w.done("plan", "-detailed-exitcode"), "No changes.")
	contains(t, w.done("destroy", "-auto-approve"), "Resources: 5 destroyed.")
}

func TestEveryExampleOfTheDocumentationRuns(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	files, err := filepath.Glob("../../examples/*/sless_*/*.tf")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no examples", err)
	}
	for _, file := range files {
		example, _ := filepath.Rel("../../examples", filepath.Dir(file))
		t.Run(example, func(t *testing.T) {
			w := newWorkspace(t, example)
			provider, err := os.ReadFile("../../examples/provider/provider.tf")
			if err != nil {
				t.Fatal(err)
			}
			w.write("provider.tf", string(provider))
			w.done("apply", "-auto-approve")
			contains(t, w.done("plan", "-detailed-exitcode"), "No changes.")
			for _, line := range importLines(w) {
				words := strings.Fields(line)
				w.done("state", "rm", words[2])
				w.done(append([]string{"import"}, words[2:]...)...)
			}
			w.done("destroy", "-auto-approve")
		})
	}
}

// importLines of the example: what it says of terraform import.
func importLines(w *workspace) []string {
	content, err := os.ReadFile(filepath.Join(w.folder, "import.sh"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

func TestASensitiveValueIsShownNowhere(t *testing.T) {
	w := newWorkspace(t, "resources/sless_function")
	w.write("provider.tf", "terraform {\n  required_providers {\n    sless = { source = \"sless/sless\" }\n  }\n}\n")
	isSilent := func(words ...string) {
		t.Helper()
		if output, _ := w.run(words...); strings.Contains(output, "hush-hush") {
			t.Errorf("%v shows it:\n%s", words, output)
		}
	}
	for _, secret := range []string{"hush-hush-one", "hush-hush-two"} {
		isSilent("plan", "-var", "api_key="+secret)
		w.done("apply", "-auto-approve", "-var", "api_key="+secret)
	}
	isSilent("show")
	// Nor what somebody else put in its place.
	fields := api.FunctionPatch{Env: nullable.NewNullableWithValue(map[string]string{"API_KEY": "hush-hush-theirs"})}
	if _, err := ourClient(t).PatchFunction(context.Background(), "report", fields); err != nil {
		t.Fatal(err)
	}
	isSilent("plan", "-var", "api_key=hush-hush-two")
	// Nor an apply that fails.
	if err := os.Rename(filepath.Join(w.folder, "report/report.py"), filepath.Join(w.folder, "report/other.py")); err != nil {
		t.Fatal(err)
	}
	isSilent("apply", "-auto-approve", "-var", "api_key=hush-hush-three")
	w.done("destroy", "-auto-approve")
}

func TestAnInterruptedApplyStopsQuicklyAndKeepsWhatItMade(t *testing.T) {
	w := newWorkspace(t, "complete")
	begun := make(chan struct{})
	hanging := newGateway(t, func(_ http.ResponseWriter, r *http.Request, before int, _ http.Handler) bool {
		if !strings.HasSuffix(r.URL.Path, "/upload") {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		if before == 0 {
			close(begun)
		}
		<-r.Context().Done()
		return true
	})
	w.endpoint = hanging.URL
	w.interrupt(begun)
	w.endpoint = local.endpoint
	contains(t, w.done("show"), "(tainted)")
	w.done("destroy", "-auto-approve")
}

func TestAJobWhoseApplyIsInterruptedIsNotRunTwice(t *testing.T) {
	w := newWorkspace(t, "complete")
	w.write("main.tf", strings.Replace(w.read("main.tf"), "jsondecode(sless_job.first_greeting.result).message", "sless_job.first_greeting.result", 1))
	w.write("greeter/handler.mjs", "export const handle = () => new Promise((done) => setTimeout(done, 8_000, { message: 'late' }));\n")
	begun := make(chan struct{})
	watching := newGateway(t, func(_ http.ResponseWriter, r *http.Request, before int, _ http.Handler) bool {
		if before == 2 && strings.HasSuffix(r.URL.Path, "/jobs/first-greeting") {
			close(begun)
		}
		return false
	})
	w.endpoint = watching.URL
	w.interrupt(begun)
	if shown := w.done("show"); strings.Contains(shown, "(tainted)") {
		t.Errorf("it will be made anew:\n%s", shown)
	}
	w.endpoint = local.endpoint
	w.done("apply", "-auto-approve", "-target=sless_job.first_greeting")
	if job, err := ourClient(t).GetJob(context.Background(), "first-greeting"); err != nil || job.Attempts > 1 {
		t.Errorf("got %+v, %v", job, err)
	}
	w.done("destroy", "-auto-approve")
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, each := range wanted {
		if !strings.Contains(text, each) {
			t.Errorf("there is no %q in:\n%s", each, text)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
