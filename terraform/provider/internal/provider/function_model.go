package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/api"
)

// functionModel is a function as Terraform knows it.
type functionModel struct {
	Name            types.String `tfsdk:"name"`
	Namespace       types.String `tfsdk:"namespace"`
	Runtime         types.String `tfsdk:"runtime"`
	Entrypoint      types.String `tfsdk:"entrypoint"`
	Env             types.Map    `tfsdk:"env"`
	Secrets         types.List   `tfsdk:"secrets"`
	Replicas        types.Int32  `tfsdk:"replicas"`
	Resources       types.Object `tfsdk:"resources"`
	TimeoutSec      types.Int32  `tfsdk:"timeout_sec"`
	Concurrency     types.Int32  `tfsdk:"concurrency"`
	Build           types.String `tfsdk:"build"`
	BuildTimeoutSec types.Int32  `tfsdk:"build_timeout_sec"`
	SourceDir       types.String `tfsdk:"source_dir"`
	Filename        types.String `tfsdk:"filename"`
	CodeHash        types.String `tfsdk:"code_hash"`
	Image           types.String `tfsdk:"image"`
	Phase           types.String `tfsdk:"phase"`
	URL             types.String `tfsdk:"url"`
}

// hasCode tells whether the code comes from here. Without it the function is declared and its code is somebody else's affair.
func (m *functionModel) hasCode() bool { return isSet(m.SourceDir) || isSet(m.Filename) }

// patch names every field, so that whatever was changed elsewhere is set back; null stands for a default.
func (m *functionModel) patch(ctx context.Context, diags *diag.Diagnostics) api.FunctionPatch {
	runtime := m.Runtime.ValueString()
	env := into[map[string]string](ctx, m.Env, m.Env.ElementsAs, diags)
	secrets := into[[]string](ctx, m.Secrets, m.Secrets.ElementsAs, diags)
	fields := api.FunctionPatch{
		Runtime:             &runtime,
		Entrypoint:          orNull(m.Entrypoint, m.Entrypoint.ValueString()),
		Env:                 orNull(m.Env, env),
		Secrets:             orNull(m.Secrets, secrets),
		Replicas:            orNull(m.Replicas, m.Replicas.ValueInt32()),
		TimeoutSeconds:      orNull(m.TimeoutSec, m.TimeoutSec.ValueInt32()),
		Concurrency:         orNull(m.Concurrency, m.Concurrency.ValueInt32()),
		Build:               orNull(m.Build, api.FunctionPatchBuild(m.Build.ValueString())),
		BuildTimeoutSeconds: orNull(m.BuildTimeoutSec, m.BuildTimeoutSec.ValueInt32()),
	}
	askResources(ctx, m.Resources, &fields.Resources, diags)
	return fields
}

// create is what a new function is declared with.
func (m *functionModel) create(ctx context.Context, diags *diag.Diagnostics) api.FunctionCreate {
	fields := m.patch(ctx, diags)
	made := api.FunctionCreate{
		Name:                m.Name.ValueString(),
		Runtime:             m.Runtime.ValueString(),
		Entrypoint:          fields.Entrypoint,
		Env:                 fields.Env,
		Secrets:             fields.Secrets,
		Replicas:            fields.Replicas,
		TimeoutSeconds:      fields.TimeoutSeconds,
		Concurrency:         fields.Concurrency,
		Build:               orNull(m.Build, api.FunctionCreateBuild(m.Build.ValueString())),
		BuildTimeoutSeconds: fields.BuildTimeoutSeconds,
	}
	askResources(ctx, m.Resources, &made.Resources, diags)
	return made
}

// take sets everything that the api answers but the hash of the code, which resource and data source read each in their way.
func (m *functionModel) take(ctx context.Context, shown api.Function, diags *diag.Diagnostics) {
	m.Name = types.StringValue(shown.Name)
	m.Namespace = types.StringValue(shown.Namespace)
	m.Runtime = types.StringValue(shown.Runtime)
	m.Entrypoint = textOf(shown.Entrypoint)
	m.Env = textMap(ctx, m.Env, shown.Env, diags)
	m.Secrets = textList(ctx, m.Secrets, shown.Secrets, diags)
	m.Replicas = types.Int32Value(shown.Replicas)
	m.TimeoutSec = types.Int32Value(shown.TimeoutSeconds)
	m.Concurrency = types.Int32Value(shown.Concurrency)
	m.Build = types.StringValue(string(shown.Build))
	m.BuildTimeoutSec = types.Int32Value(shown.BuildTimeoutSeconds)
	m.Resources = readResources(m.Resources, shown.Resources, diags)
	m.Image = textOf(shown.Image)
	m.Phase = types.StringValue(string(shown.Phase))
	m.URL = textOf(shown.Url)
}
