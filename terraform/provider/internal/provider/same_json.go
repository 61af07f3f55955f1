package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// sameJSON plans what is there where the configuration only writes it in another way: the framework compares by meaning what an api
// answers, and not what is planned.
type sameJSON struct{}

func (sameJSON) Description(context.Context) string {
	return "JSON that means the same is no change"
}

func (m sameJSON) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (sameJSON) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsNull() || req.PlanValue.IsUnknown() {
		return
	}
	before := jsontypes.NewNormalizedValue(req.StateValue.ValueString())
	planned := jsontypes.NewNormalizedValue(req.PlanValue.ValueString())
	if equal, diags := before.StringSemanticEquals(ctx, planned); equal && !diags.HasError() {
		resp.PlanValue = req.StateValue
	}
}
