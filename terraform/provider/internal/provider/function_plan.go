package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan finds out what the code is, so that a plan says whether it will be sent, and what of the answers is known before.
func (r *functionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var config, plan functionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	var state *functionModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if config.Entrypoint.IsNull() && state != nil {
		wasConfigured := wasEntrypointConfigured(ctx, req.Private, &resp.Diagnostics)
		plan.Entrypoint = plannedEntrypoint(plan, *state, wasConfigured)
	}
	if config.CodeHash.IsNull() {
		plan.CodeHash = plannedHash(config, plan, state, &resp.Diagnostics)
	}
	if state != nil {
		planAnswers(&plan, *state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// plannedEntrypoint of a configuration that has none: the one that is there, unless that was configured before, or is another runtime's.
func plannedEntrypoint(plan, state functionModel, wasConfigured bool) types.String {
	if wasConfigured || !plan.Runtime.Equal(state.Runtime) {
		return types.StringUnknown()
	}
	return state.Entrypoint
}

// plannedHash of code whose hash is not configured.
func plannedHash(config, plan functionModel, state *functionModel, diags *diag.Diagnostics) types.String {
	if config.SourceDir.IsUnknown() || config.Filename.IsUnknown() || config.Entrypoint.IsUnknown() {
		return types.StringUnknown()
	}
	if !plan.hasCode() {
		if state == nil {
			return types.StringUnknown()
		}
		return state.CodeHash
	}
	archive, err := readCode(&plan)
	if err != nil {
		diags.AddAttributeError(codePath(&plan), "The code cannot be read", err.Error())
		return types.StringUnknown()
	}
	return types.StringValue(archive.Hash)
}

// planAnswers: what the api answers is known again only after a change, but for a URL, which is that of a name. A function that failed is planned again, though nothing of what is wanted
// differs from what is there.
func planAnswers(plan *functionModel, state functionModel) {
	plan.Image, plan.Phase, plan.URL = state.Image, state.Phase, state.URL
	if reflect.DeepEqual(*plan, state) && !isFailed(state.Phase) {
		return
	}
	plan.Image, plan.Phase = types.StringUnknown(), types.StringUnknown()
	if state.URL.IsNull() {
		plan.URL = types.StringUnknown()
	}
}
