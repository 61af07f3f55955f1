package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"sless.dev/terraform-provider-sless/internal/client"
)

// waitSeconds is how long a run has by default, and so is the wait for it.
const waitSeconds = 600

type jobResource struct{ client *client.Client }

var (
	_ resource.ResourceWithConfigure   = &jobResource{}
	_ resource.ResourceWithModifyPlan  = &jobResource{}
	_ resource.ResourceWithImportState = &jobResource{}
)

func newJobResource() resource.Resource { return &jobResource{} }

func (r *jobResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_job"
}

func (r *jobResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	job := documented["JobCreate"]
	resp.Schema = schema.Schema{
		MarkdownDescription: "Runs a function once, and again whenever `run_id` is raised. An apply waits for the run and fails when it does.",
		Attributes: map[string]schema.Attribute{
			"name":        job["name"].requiredText(),
			"function":    job["function"].requiredText(),
			"event_json":  job["event_json"].jsonText(),
			"run_id":      job["run_id"].long(),
			"retries":     job["retries"].integer(),
			"timeout_sec": job["timeout_seconds"].integer(),
			"wait_timeout_sec": schema.Int32Attribute{
				Optional: true, Computed: true, Default: int32default.StaticInt32(waitSeconds),
				Validators:          []validator.Int32{int32validator.Between(0, 86_400)},
				MarkdownDescription: "How long an apply waits for a run. 0 does not wait, and then nothing is said of a run that fails.",
			},
			"namespace": computedName("The namespace that the job is in."),
			"phase":     schema.StringAttribute{Computed: true, MarkdownDescription: "`Succeeded` or `Failed` after a run, `Skipped` where there was none."},
			"result":    schema.StringAttribute{Computed: true, MarkdownDescription: "What the function returned, as JSON text of at most 4 KiB."},
		},
	}
}

func (r *jobResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

func (r *jobResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// Create declares the job, and from then on it is in the state, whatever becomes of its run.
func (r *jobResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan jobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.client.CreateJob(ctx, plan.create())
	if made.Exists {
		plan.take(made.Object)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	if err != nil {
		resp.Diagnostics.AddError("The job "+plan.Name.ValueString()+" was not created", err.Error())
		return
	}
	shown, err := r.whenEnded(ctx, &plan, true)
	switch {
	case err != nil && ctx.Err() != nil:
		// No error, which would taint the job: made anew, it would run a second time. Nothing else follows in an apply that is interrupted.
		resp.Diagnostics.AddWarning("The job "+plan.Name.ValueString()+" is not waited for any longer", "Its run goes on; the next refresh tells how it ended.")
	case err != nil:
		resp.Diagnostics.AddError("The job "+plan.Name.ValueString()+" did not succeed", err.Error())
	}
	if shown.Name != "" {
		plan.take(shown)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

func (r *jobResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state jobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	shown, err := r.client.GetJob(ctx, state.Name.ValueString())
	if client.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The job "+state.Name.ValueString()+" cannot be read", err.Error())
		return
	}
	state.take(shown)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update changes the job in place. Only another run_id runs it.
func (r *jobResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state jobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	if _, err := r.client.PatchJob(ctx, plan.Name.ValueString(), plan.patch()); err != nil {
		resp.Diagnostics.AddError("The job "+plan.Name.ValueString()+" was not changed", err.Error())
		return
	}
	shown, err := r.whenEnded(ctx, &plan, !plan.RunID.Equal(state.RunID))
	if err != nil {
		resp.Diagnostics.AddError("The job "+plan.Name.ValueString()+" did not succeed", err.Error())
		return
	}
	plan.take(shown)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *jobResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state jobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || isElsewhere(r.client, state.Namespace, &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	isGone, err := r.client.DeleteJob(ctx, name)
	if err == nil && !isGone {
		err = untilGone(ctx, func(ctx context.Context) error {
			_, err := r.client.GetJob(ctx, name)
			return err
		})
	}
	if err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.AddError("The job "+name+" was not deleted", err.Error())
	}
}
