package acceptance

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestDataSourcesShowAFunctionItsCallsAndTheNamespace(t *testing.T) {
	s := newStage(t)
	data := `
data "sless_function" "it" {
  name = sless_function.greet.name
}
data "sless_namespace" "mine" {}
data "sless_invocations" "runs" {
  function = sless_job.once.function
  trigger  = "job"
  limit    = 10
  depends_on = [sless_job.once]
}
`
	namespace := s.api().Namespace()
	text := knownvalue.StringExact
	s.run(
		resource.TestStep{Config: s.config(jobText("run_id = 1"))},
		resource.TestStep{
			Config: s.config(jobText("run_id = 1") + data),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.sless_function.it", at("phase"), text("Ready")),
				statecheck.ExpectKnownValue("data.sless_function.it", at("runtime"), text("nodejs20")),
				statecheck.ExpectKnownValue("data.sless_function.it", at("env"), knownvalue.MapSizeExact(0)),
				statecheck.ExpectKnownValue("data.sless_namespace.mine", at("name"), text(namespace)),
				statecheck.ExpectKnownValue("data.sless_invocations.runs", at("items").AtSliceIndex(0).AtMapKey("trigger_name"), text(s.name+"-once")),
				statecheck.ExpectKnownValue("data.sless_invocations.runs", at("items").AtSliceIndex(0).AtMapKey("outcome"), text("ok")),
			},
		},
		resource.TestStep{
			Config:      s.config("data \"sless_function\" \"it\" {\n  name = \"NAME-none\"\n}\n"),
			ExpectError: regexp.MustCompile(`NotFound`),
		},
	)
}
