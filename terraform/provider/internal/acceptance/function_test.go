package acceptance

import (
	"context"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/oapi-codegen/nullable"

	"sless.dev/terraform-provider-sless/internal/api"
)

func has(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(greet, at(name), value)
}

func TestAFunctionIsDeployedChangedInPlaceAndImported(t *testing.T) {
	s := newStage(t)
	var image string
	s.run(
		resource.TestStep{
			Config: s.function(`env = { WORD = "one" }`),
			ConfigStateChecks: []statecheck.StateCheck{
				has("phase", knownvalue.StringExact("Ready")),
				has("replicas", knownvalue.Int32Exact(1)),
				has("entrypoint", knownvalue.StringExact("handler.handle")),
				has("code_hash", knownvalue.StringRegexp(regexp.MustCompile("^[0-9a-f]{64}$"))),
				has("image", knownvalue.StringFunc(func(value string) error { image = value; return nil })),
			},
		},
		resource.TestStep{
			PreConfig:        func() { s.write("handler.mjs", says("Welcome")) },
			Config:           s.function(`env = { WORD = "one" }`),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionUpdate), plancheck.ExpectUnknownValue(greet, at("image"))),
			ConfigStateChecks: []statecheck.StateCheck{
				has("image", knownvalue.StringFunc(func(value string) error { return differs(image, value) })),
			},
		},
		resource.TestStep{
			Config: s.function(`env = { WORD = "two", MORE = "x" }`, `timeout_sec = 30`, `replicas = 2`, `concurrency = 7`,
				`resources = { requests = { cpu = "10m", memory = "32Mi" }, limits = { memory = "64Mi" } }`),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{
				has("timeout_sec", knownvalue.Int32Exact(30)),
				has("replicas", knownvalue.Int32Exact(2)),
				statecheck.ExpectKnownValue(greet, at("resources", "limits", "memory"), knownvalue.StringExact("64Mi")),
			},
		},
		resource.TestStep{
			Config:           s.function(),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{
				has("timeout_sec", knownvalue.Int32Exact(60)), has("env", knownvalue.Null()), has("resources", knownvalue.Null()),
			},
		},
		resource.TestStep{
			ResourceName: greet, ImportState: true, ImportStateId: s.name, ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"source_dir"},
		},
	)
}

func TestAnImportedFunctionIsNotDeployedAgain(t *testing.T) {
	s := newStage(t)
	before := s.function()
	s.run(
		resource.TestStep{Config: before},
		resource.TestStep{Config: s.config("removed {\n  from = sless_function.greet\n  lifecycle {\n    destroy = false\n  }\n}\n")},
		resource.TestStep{
			Config: s.config("import {\n  to = sless_function.greet\n  id = \"NAME\"\n}\n" + functionText()),
			ConfigPlanChecks: plans(
				action(greet, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(greet, at("code_hash"), knownvalue.NotNull()),
			),
		},
	)
}

func TestARenamedFunctionIsAnotherAndTheOldNameWorksAtOnceAgain(t *testing.T) {
	s := newStage(t)
	other := s.config(`resource "sless_function" "greet" {
  name       = "NAME-other"
  runtime    = "nodejs20"
  source_dir = "CODE"
}`)
	replaced := plans(action(greet, plancheck.ResourceActionDestroyBeforeCreate))
	s.run(
		resource.TestStep{Config: s.function()},
		resource.TestStep{Config: other, ConfigPlanChecks: replaced},
		resource.TestStep{Config: s.function(), ConfigPlanChecks: replaced},
	)
}

func TestWhatIsDeletedElsewhereIsPlannedAgain(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.function()},
		resource.TestStep{
			PreConfig:        func() { s.must(s.api().DeleteFunction(context.Background(), s.name)) },
			Config:           s.function(),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionCreate)),
		},
	)
}

func TestDriftOfFieldsAndCodeIsSetBack(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.function(`env = { WORD = "mine" }`)},
		resource.TestStep{
			PreConfig: func() {
				fields := api.FunctionPatch{Env: nullable.NewNullableWithValue(map[string]string{"WORD": "theirs"})}
				s.must(s.api().PatchFunction(context.Background(), s.name, fields))
			},
			Config: s.function(`env = { WORD = "mine" }`),
			ConfigPlanChecks: plans(
				action(greet, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(greet, at("env", "WORD"), knownvalue.StringExact("mine")),
			),
		},
		resource.TestStep{
			PreConfig: func() {
				s.must(s.api().Upload(context.Background(), s.name, zipOf(t, map[string]string{"handler.mjs": says("Theirs")}), false))
			},
			Config:           s.function(`env = { WORD = "mine" }`),
			ConfigPlanChecks: plans(action(greet, plancheck.ResourceActionUpdate)),
		},
	)
}

func TestTheDefaultEntrypointComesBack(t *testing.T) {
	s := newStage(t)
	s.write("other.mjs", "export const run = () => 'other';\n")
	s.run(
		resource.TestStep{
			Config:            s.function(`entrypoint = "other.run"`),
			ConfigStateChecks: []statecheck.StateCheck{has("entrypoint", knownvalue.StringExact("other.run"))},
		},
		resource.TestStep{
			Config:            s.function(),
			ConfigPlanChecks:  plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{has("entrypoint", knownvalue.StringExact("handler.handle"))},
		},
	)
}

func TestAZipAndAHashOfOnesOwn(t *testing.T) {
	s := newStage(t)
	zipped := func(word string) func() {
		return func() { s.write("code.zip", string(zipOf(t, map[string]string{"handler.mjs": says(word)}))) }
	}
	config := func(hash string) string {
		return s.config("resource \"sless_function\" \"greet\" {\n  name = \"NAME\"\n  runtime = \"nodejs20\"\n  filename = \"CODE/code.zip\"\n" + hash + "}\n")
	}
	s.run(
		resource.TestStep{PreConfig: zipped("one"), Config: config("")},
		resource.TestStep{
			PreConfig: zipped("two"), Config: config("code_hash = \"v2\"\n"),
			ConfigPlanChecks:  plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{has("code_hash", knownvalue.StringExact("v2"))},
		},
		resource.TestStep{
			// Code that changes under the same word is not sent: the word is the user's.
			PreConfig: zipped("three"), Config: config("code_hash = \"v2\"\n"),
			ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan()),
		},
		resource.TestStep{
			PreConfig: func() {
				s.must(s.api().Upload(context.Background(), s.name, zipOf(t, map[string]string{"handler.mjs": says("Theirs")}), false))
			},
			Config:            config("code_hash = \"v2\"\n"),
			ConfigPlanChecks:  plans(action(greet, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{has("code_hash", knownvalue.StringExact("v2"))},
		},
	)
}

func TestAFunctionWithoutCodeIsDeclaredAndLeavesTheCodeToOthers(t *testing.T) {
	s := newStage(t)
	config := s.config("resource \"sless_function\" \"greet\" {\n  name    = \"NAME\"\n  runtime = \"nodejs20\"\n}\n")
	s.run(
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{has("code_hash", knownvalue.Null())}},
		resource.TestStep{
			PreConfig: func() {
				s.must(s.api().Upload(context.Background(), s.name, zipOf(t, map[string]string{"handler.mjs": says("Theirs")}), false))
			},
			Config:           config,
			ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan()),
		},
	)
}

func TestMistakesAreToldBeforeAnythingIsSent(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.function(`timeout_sec = 0`), ExpectError: regexp.MustCompile(`must be at least 1`)},
		resource.TestStep{Config: s.function(`filename = "x.zip"`), ExpectError: regexp.MustCompile(`source_dir`)},
		resource.TestStep{
			Config:      s.config("resource \"sless_function\" \"greet\" {\n  name = \"NAME\"\n  runtime = \"nodejs20\"\n  code_hash = \"x\"\n}\n"),
			ExpectError: regexp.MustCompile(`A hash of no code`),
		},
		resource.TestStep{Config: s.function(`secrets = ["password"]`), ExpectError: regexp.MustCompile(`must match`)},
		resource.TestStep{
			Config:      s.config("resource \"sless_function\" \"greet\" {\n  name = \"NAME\"\n  runtime = \"nodejs20\"\n  source_dir = \"CODE/none\"\n}\n"),
			ExpectError: regexp.MustCompile(`there is no folder`),
		},
		resource.TestStep{Config: s.function(`runtime_x = 1`), ExpectError: regexp.MustCompile(`Unsupported argument`)},
	)
}
