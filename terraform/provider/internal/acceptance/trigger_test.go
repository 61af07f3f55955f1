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

const (
	web    = "sless_trigger.web"
	timer  = "sless_trigger.timer"
	orders = "sless_trigger.orders"
)

func triggerText(resourceName, more string) string {
	return "resource \"sless_trigger\" \"" + resourceName + "\" {\n  name = \"NAME-" + resourceName + "\"\n  function = sless_function.greet.name\n" + more + "\n}\n"
}

func TestTriggersOfEveryTypeAreChangedInPlaceAndImported(t *testing.T) {
	s := newStage(t)
	config := func(web, timer, orders string) string {
		return s.config(functionText() + triggerText("web", "type = \"http\"\n"+web) +
			triggerText("timer", "type = \"cron\"\n"+timer) + triggerText("orders", "type = \"event\"\nqueue = \"NAME\"\n"+orders))
	}
	imported := func(address, name string) resource.TestStep {
		return resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: s.name + name, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
		}
	}
	s.run(
		resource.TestStep{
			Config: config("", "schedule = \"0 3 * * *\"\npayload = jsonencode({ a = 1, b = 2 })", "prefetch = 3"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(web, at("url"), knownvalue.StringRegexp(regexp.MustCompile("/fn/.*/"+s.name+"$"))),
				statecheck.ExpectKnownValue(web, at("active"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(timer, at("active"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(orders, at("active"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(orders, at("max_attempts"), knownvalue.Null()),
			},
		},
		resource.TestStep{
			// The same JSON, written in another way.
			Config:           config("", "schedule = \"0 3 * * *\"\npayload = \"{ \\\"b\\\": 2, \\\"a\\\": 1 }\"", "prefetch = 3"),
			ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan()),
		},
		resource.TestStep{
			Config: config("enabled = false", "schedule = \"30 4 * * *\"\ntime_zone = \"Europe/Berlin\"", "max_attempts = 2"),
			ConfigPlanChecks: plans(
				action(web, plancheck.ResourceActionUpdate), action(timer, plancheck.ResourceActionUpdate),
				action(orders, plancheck.ResourceActionUpdate), action(greet, plancheck.ResourceActionNoop),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(web, at("active"), knownvalue.Bool(false)),
				statecheck.ExpectKnownValue(timer, at("payload"), knownvalue.Null()),
				statecheck.ExpectKnownValue(orders, at("prefetch"), knownvalue.Null()),
			},
		},
		imported(web, "-web"), imported(timer, "-timer"), imported(orders, "-orders"),
	)
}

func TestATriggerOfAnotherTypeIsAnotherTrigger(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.config(functionText() + triggerText("web", `type = "http"`))},
		resource.TestStep{
			Config:           s.config(functionText() + triggerText("web", "type = \"cron\"\nschedule = \"@daily\"")),
			ConfigPlanChecks: plans(action(web, plancheck.ResourceActionDestroyBeforeCreate)),
		},
	)
}

func TestATriggerThatIsChangedOrDeletedElsewhereIsSetBack(t *testing.T) {
	s := newStage(t)
	config := s.config(functionText() + triggerText("web", `type = "http"`))
	s.run(
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig: func() {
				fields := api.TriggerPatch{Enabled: nullable.NewNullableWithValue(false)}
				s.must(s.api().PatchTrigger(context.Background(), s.name+"-web", fields))
			},
			Config:           config,
			ConfigPlanChecks: plans(action(web, plancheck.ResourceActionUpdate)),
		},
		resource.TestStep{
			PreConfig:        func() { s.must(nil, s.api().DeleteTrigger(context.Background(), s.name+"-web")) },
			Config:           config,
			ConfigPlanChecks: plans(action(web, plancheck.ResourceActionCreate)),
		},
	)
}

func TestWhatATriggerLacksIsToldByTheApi(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{
			Config:      s.config(functionText() + triggerText("timer", `type = "cron"`)),
			ExpectError: regexp.MustCompile(`schedule`),
		},
		resource.TestStep{
			Config:      s.config(functionText() + triggerText("timer", "type = \"cron\"\nschedule = \"daily\"")),
			ExpectError: regexp.MustCompile(`schedule`),
		},
		resource.TestStep{
			Config:      s.config(functionText() + triggerText("timer", "type = \"cron\"\nschedule = \"@daily\"\npayload = \"{\"")),
			ExpectError: regexp.MustCompile(`Invalid JSON`),
		},
		resource.TestStep{Config: s.function()},
	)
}
