package acceptance

import (
	"context"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

const once = "sless_job.once"

func jobText(more string) string {
	return functionText() + "resource \"sless_job\" \"once\" {\n  name = \"NAME-once\"\n  function = sless_function.greet.name\n" + more + "\n}\n"
}

func job(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(once, at(name), value)
}

func TestAJobRunsWhenItsRunIdIsRaisedAndOnlyThen(t *testing.T) {
	s := newStage(t)
	updated := plans(action(once, plancheck.ResourceActionUpdate), action(greet, plancheck.ResourceActionNoop))
	said := func(to string) statecheck.StateCheck {
		return job("result", knownvalue.StringExact(`{"said":"Hello","to":"`+to+`","env":null}`))
	}
	s.run(
		resource.TestStep{
			Config:            s.config(jobText("")),
			ConfigStateChecks: []statecheck.StateCheck{job("phase", knownvalue.StringExact("Skipped")), job("run_id", knownvalue.Int64Exact(0))},
		},
		resource.TestStep{
			Config: s.config(jobText("run_id = 1\nevent_json = jsonencode({ to = \"Ada\" })")), ConfigPlanChecks: updated,
			ConfigStateChecks: []statecheck.StateCheck{job("phase", knownvalue.StringExact("Succeeded")), said("Ada")},
		},
		resource.TestStep{
			Config:           s.config(jobText("run_id = 1\nevent_json = \"{  \\\"to\\\": \\\"Ada\\\" }\"")),
			ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan()),
		},
		resource.TestStep{
			Config: s.config(jobText("run_id = 1\nevent_json = jsonencode({ to = \"Bo\" })")), ConfigPlanChecks: updated,
			ConfigStateChecks: []statecheck.StateCheck{said("Ada")},
		},
		resource.TestStep{
			Config: s.config(jobText("run_id = 7\nevent_json = jsonencode({ to = \"Bo\" })")), ConfigPlanChecks: updated,
			ConfigStateChecks: []statecheck.StateCheck{said("Bo")},
		},
		resource.TestStep{
			Config:      s.config(jobText("run_id = 3\nevent_json = jsonencode({ to = \"Bo\" })")),
			ExpectError: regexp.MustCompile("A lower run_id runs nothing"),
		},
		resource.TestStep{
			ResourceName: once, ImportState: true, ImportStateId: s.name + "-once", ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "name",
		},
	)
}

func TestARunThatFailsFailsTheApply(t *testing.T) {
	s := newStage(t)
	s.write("handler.mjs", "export const handle = ({ fine }) => { if (!fine) throw new Error('no table of that name'); return 'done'; };\n")
	failed := regexp.MustCompile(`(?s)did not succeed.*run 1 failed:.*no table of that name.*raise run_id`)
	s.run(
		resource.TestStep{Config: s.config(jobText("run_id = 1")), ExpectError: failed},
		// Tainted: the job is made again, and so runs again.
		resource.TestStep{
			Config:           s.config(jobText("run_id = 1\nevent_json = jsonencode({ fine = true })")),
			ConfigPlanChecks: plans(action(once, plancheck.ResourceActionDestroyBeforeCreate)),
		},
		resource.TestStep{
			Config:      s.config(jobText("run_id = 2")),
			ExpectError: regexp.MustCompile(`(?s)run 2 failed:.*no table of that name`),
		},
		// A run that failed in place is not repeated until it is asked for.
		resource.TestStep{Config: s.config(jobText("run_id = 2")), ConfigPlanChecks: plans(plancheck.ExpectEmptyPlan())},
		resource.TestStep{Config: s.config(jobText("run_id = 3\nevent_json = jsonencode({ fine = true })"))},
	)
}

func TestAJobThatIsDeletedElsewhereIsPlannedAgain(t *testing.T) {
	s := newStage(t)
	s.run(
		resource.TestStep{Config: s.config(jobText("run_id = 1"))},
		resource.TestStep{
			PreConfig:        func() { s.must(s.api().DeleteJob(context.Background(), s.name+"-once")) },
			Config:           s.config(jobText("run_id = 1")),
			ConfigPlanChecks: plans(action(once, plancheck.ResourceActionCreate)),
		},
	)
}

func TestAWaitThatEndsBeforeTheRunSaysSo(t *testing.T) {
	s := newStage(t)
	s.write("handler.mjs", "export const handle = () => new Promise((done) => setTimeout(done, 20_000));\n")
	s.run(resource.TestStep{
		Config: s.config(jobText("run_id = 1\nwait_timeout_sec = 1")), ExpectError: regexp.MustCompile(`has not ended within\s+wait_timeout_sec`),
	})
}
