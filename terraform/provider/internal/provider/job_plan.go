package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan: phase and result are known again only after a change, and JSON that is written in another way is none. A run_id that would run
// nothing is refused: the platform takes only higher ones, so that no old run is repeated.
func (r *jobResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state jobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	plan.Phase, plan.Result = state.Phase, state.Result
	if !reflect.DeepEqual(plan, state) {
		plan.Phase, plan.Result = types.StringUnknown(), types.StringUnknown()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	isSame := plan.Name.Equal(state.Name) && plan.Function.Equal(state.Function)
	if wanted := plan.RunID.ValueInt64(); isSame && wanted != 0 && wanted < state.RunID.ValueInt64() {
		resp.Diagnostics.AddAttributeError(path.Root("run_id"), "A lower run_id runs nothing",
			"The job has had the run "+state.RunID.String()+". Choose a higher one to run it again, the same to leave it, or 0 to run nothing.")
	}
}
