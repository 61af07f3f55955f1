package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/api"
	"sless.dev/terraform-provider-sless/internal/client"
)

type functionResource struct{ client *client.Client }

var (
	_ resource.ResourceWithConfigure      = &functionResource{}
	_ resource.ResourceWithValidateConfig = &functionResource{}
	_ resource.ResourceWithModifyPlan     = &functionResource{}
	_ resource.ResourceWithImportState    = &functionResource{}
)

func newFunctionResource() resource.Resource { return &functionResource{} }

func (r *functionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_function"
}

func (r *functionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = functionSchema()
}

func (r *functionResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig: a hash of no code would be taken for code that is deployed.
func (r *functionResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config functionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !config.CodeHash.IsNull() && config.SourceDir.IsNull() && config.Filename.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("code_hash"), "A hash of no code", "code_hash speaks of source_dir or filename: set one of them.")
	}
}

func (r *functionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// Create declares the function, and from then on it is in the state, whatever becomes of its code: tainted, and no orphan.
func (r *functionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan functionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	asked := plan.create(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	code := r.prepare(ctx, prepared{config: req.Config, plan: &plan, diags: &resp.Diagnostics})
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.client.CreateFunction(ctx, asked)
	if made.Exists {
		begun := plan
		begun.take(ctx, made.Object, &resp.Diagnostics)
		begun.CodeHash = types.StringNull()
		resp.Diagnostics.Append(resp.State.Set(ctx, &begun)...)
	}
	if err != nil {
		resp.Diagnostics.AddError("The function "+asked.Name+" was not created", err.Error())
		return
	}
	found, err := r.deploy(ctx, deployment{plan: &plan, code: code, isNew: true})
	r.settle(ctx, settled{config: req.Config, plan: &plan, found: found, err: err, state: &resp.State, private: resp.Private, diags: &resp.Diagnostics})
}

func (r *functionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state functionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	shown, err := r.client.GetFunction(ctx, state.Name.ValueString())
	if client.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The function "+state.Name.ValueString()+" cannot be read", err.Error())
		return
	}
	state.take(ctx, shown, &resp.Diagnostics)
	// The state's own word for the code holds as long as the code is what was sent with it.
	if sent := sentHash(ctx, req.Private, &resp.Diagnostics); sent == "" || textOf(shown.CodeHash).ValueString() != sent {
		state.CodeHash = textOf(shown.CodeHash)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update changes the function in place. When it breaks off, the state stays as it was: what is missing is planned again.
func (r *functionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state functionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	change := deployment{plan: &plan, prior: &state}
	code := r.prepare(ctx, prepared{config: req.Config, plan: &plan, diags: &resp.Diagnostics})
	if resp.Diagnostics.HasError() {
		return
	}
	if change.needsCode() {
		change.code = code
	}
	found, err := r.deploy(ctx, change)
	r.settle(ctx, settled{config: req.Config, plan: &plan, found: found, err: err, state: &resp.State, private: resp.Private, diags: &resp.Diagnostics})
}

func (r *functionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state functionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	isGone, err := r.client.DeleteFunction(ctx, name)
	if err == nil && !isGone {
		err = untilGone(ctx, func(ctx context.Context) error {
			_, err := r.client.GetFunction(ctx, name)
			return err
		})
	}
	if err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.AddError("The function "+name+" was not deleted", err.Error())
	}
}

// isFailed tells whether what is there is not what was asked for, though nothing of what was asked for differs.
func isFailed(phase types.String) bool { return phase.ValueString() == string(api.FunctionPhaseFailed) }
