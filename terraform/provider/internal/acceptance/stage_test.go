package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/acctest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"sless.dev/terraform-provider-sless/internal/client"
	"sless.dev/terraform-provider-sless/internal/provider"
)

const greet = "sless_function.greet"

// stage is one test's own corner of the platform: names that nobody else has, and a folder of code.
type stage struct {
	t        *testing.T
	name     string
	code     string
	endpoint string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	made := &stage{t: t, name: "t" + acctest.RandStringFromCharSet(8, acctest.CharSetAlphaNum), code: t.TempDir(), endpoint: local.endpoint}
	made.name = strings.ToLower(made.name)
	made.write("handler.mjs", says("Hello"))
	return made
}

// says is a handler that answers so.
func says(word string) string {
	return fmt.Sprintf("export const handle = (event) => ({ said: '%s', to: event.to ?? null, env: process.env.WORD ?? null });\n", word)
}

func (s *stage) write(name, content string) {
	s.t.Helper()
	file := filepath.Join(s.code, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// config is a configuration of HCL in which NAME, CODE and the like stand for those of the stage.
func (s *stage) config(text string) string {
	head := fmt.Sprintf("provider \"sless\" {\n  endpoint = %q\n  token    = %q\n}\n", s.endpoint, local.token)
	return head + strings.NewReplacer("NAME", s.name, "CODE", s.code).Replace(text)
}

// function is a configuration of the stage's function, with more attributes.
func (s *stage) function(more ...string) string {
	return s.config(functionText(more...))
}

func functionText(more ...string) string {
	return fmt.Sprintf("resource \"sless_function\" \"greet\" {\n  name       = \"NAME\"\n  runtime    = \"nodejs20\"\n  source_dir = \"CODE\"\n%s\n}\n", strings.Join(more, "\n"))
}

// run drives the steps, each of which must leave nothing to plan, and then destroys everything.
func (s *stage) run(steps ...resource.TestStep) {
	s.t.Helper()
	resource.Test(s.t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: steps})
}

var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"sless": providerserver.NewProtocol6WithError(provider.New("test")()),
}

// api is the platform as somebody else uses it.
func (s *stage) api() *client.Client {
	s.t.Helper()
	return ourClient(s.t)
}

func ourClient(t *testing.T) *client.Client {
	t.Helper()
	namespace, err := client.NamespaceOf(local.token, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.New(client.Settings{Endpoint: local.endpoint, Token: local.token, Namespace: namespace, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// must is for what somebody else does meanwhile.
func (s *stage) must(_ any, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func plans(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

func action(address string, wanted plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, wanted)
}

// at is the path of an attribute.
func at(names ...string) tfjsonpath.Path {
	path := tfjsonpath.New(names[0])
	for _, name := range names[1:] {
		path = path.AtMapKey(name)
	}
	return path
}
