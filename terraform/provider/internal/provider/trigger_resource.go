package provider

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/api"
	"sless.dev/terraform-provider-sless/internal/client"
)

// activeTime is what the operator, and for a queue the dispatcher, need to take up a trigger. One that is not active after it is no
// failure: its function or its queue may come later.
const activeTime = 20 * time.Second

type triggerResource struct{ client *client.Client }

var (
	_ resource.ResourceWithConfigure   = &triggerResource{}
	_ resource.ResourceWithModifyPlan  = &triggerResource{}
	_ resource.ResourceWithImportState = &triggerResource{}
)

func newTriggerResource() resource.Resource { return &triggerResource{} }

func (r *triggerResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_trigger"
}

func (r *triggerResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	trigger := documented["TriggerCreate"]
	resp.Schema = schema.Schema{
		MarkdownDescription: "What calls a function: HTTP, a schedule, or the messages of a queue. Its name, type and function are what it is; everything else changes in place.",
		Attributes: map[string]schema.Attribute{
			"name":               trigger["name"].requiredText(),
			"type":               trigger["type"].requiredText(),
			"function":           trigger["function"].requiredText(),
			"enabled":            trigger["enabled"].flag(),
			"schedule":           trigger["schedule"].text(),
			"time_zone":          trigger["time_zone"].text(),
			"payload":            trigger["payload"].jsonText(),
			"concurrency_policy": trigger["concurrency_policy"].text(),
			"queue":              trigger["queue"].text(),
			"prefetch":           trigger["prefetch"].integer(),
			"max_attempts":       trigger["max_attempts"].integer(),
			"dead_letter_queue":  trigger["dead_letter_queue"].text(),
			"broker_secret":      trigger["broker_secret"].text(),
			"namespace":          computedName("The namespace that the trigger is in."),
			"active":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether calls come through: enabled, and the function exists."},
			"url":                schema.StringAttribute{Computed: true, MarkdownDescription: "http: where the function is called."},
		},
	}
}

func (r *triggerResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

func (r *triggerResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// ModifyPlan: what the api answers is known again only after a change, but for a URL, which is that of the function's name; and JSON that is written in another way is none.
func (r *triggerResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state triggerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	plan.Active, plan.URL = state.Active, state.URL
	if !reflect.DeepEqual(plan, state) {
		plan.Active = types.BoolUnknown()
		if state.URL.IsNull() && state.Type.ValueString() == string(api.TriggerTypeHttp) {
			plan.URL = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *triggerResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan triggerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.client.CreateTrigger(ctx, plan.create())
	if made.Exists {
		plan.take(made.Object)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	if err != nil {
		resp.Diagnostics.AddError("The trigger "+plan.Name.ValueString()+" was not created", err.Error())
		return
	}
	plan.take(r.whenActive(ctx, made.Object, &resp.Diagnostics))
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *triggerResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state triggerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	shown, err := r.client.GetTrigger(ctx, state.Name.ValueString())
	if client.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The trigger "+state.Name.ValueString()+" cannot be read", err.Error())
		return
	}
	state.take(shown)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *triggerResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan triggerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, plan.Namespace, &resp.Diagnostics) {
		return
	}
	shown, err := r.client.PatchTrigger(ctx, plan.Name.ValueString(), plan.patch())
	if err != nil {
		resp.Diagnostics.AddError("The trigger "+plan.Name.ValueString()+" was not changed", err.Error())
		return
	}
	url := plan.URL
	plan.take(r.whenActive(ctx, shown, &resp.Diagnostics))
	if isSet(url) {
		plan.URL = url // a function that went meanwhile is seen by the next refresh
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *triggerResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state triggerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	if err := r.client.DeleteTrigger(ctx, name); err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.AddError("The trigger "+name+" was not deleted", err.Error())
	}
}

// whenActive waits until calls come through a trigger that is enabled. What keeps them away is told, and is no error.
func (r *triggerResource) whenActive(ctx context.Context, shown api.Trigger, diags *diag.Diagnostics) api.Trigger {
	if !shown.Enabled {
		return shown
	}
	name := shown.Name
	err := poll(ctx, time.Now().Add(activeTime), func(ctx context.Context) (bool, error) {
		found, err := r.client.GetTrigger(ctx, name)
		if err != nil {
			return false, err
		}
		shown = found
		return found.Active, nil
	})
	switch {
	case errors.Is(err, errTooLong):
		diags.AddWarning("The trigger "+name+" is not active", shown.Message)
	case err != nil:
		diags.AddError("The trigger "+name+" cannot be watched", err.Error())
	}
	return shown
}
