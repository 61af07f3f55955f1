package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/client"
)

type functionData struct{ client *client.Client }

var _ datasource.DataSourceWithConfigure = &functionData{}

func newFunctionData() datasource.DataSource { return &functionData{} }

func (d *functionData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_function"
}

func (d *functionData) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	function := documented["FunctionCreate"]
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	integer := func(name string) schema.Int32Attribute {
		return schema.Int32Attribute{Computed: true, MarkdownDescription: function[name].Description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A function that is there, whoever deployed it.",
		Attributes: map[string]schema.Attribute{
			"name":              schema.StringAttribute{Required: true, MarkdownDescription: "The function's name."},
			"namespace":         text("The namespace that the function is in."),
			"runtime":           text(function["runtime"].Description),
			"entrypoint":        text("Its own, or the runtime's."),
			"env":               schema.MapAttribute{Computed: true, Sensitive: true, ElementType: types.StringType, MarkdownDescription: function["env"].Description},
			"secrets":           schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: function["secrets"].Description},
			"resources":         schema.ObjectAttribute{Computed: true, AttributeTypes: resourcesType, MarkdownDescription: function["resources"].Description},
			"replicas":          integer("replicas"),
			"timeout_sec":       integer("timeout_seconds"),
			"concurrency":       integer("concurrency"),
			"build":             text(function["build"].Description),
			"build_timeout_sec": integer("build_timeout_seconds"),
			"code_hash":         text("The hash of its code, where an upload made it."),
			"image":             text("The image that is deployed."),
			"phase":             text("`Pending`, `Building`, `Deploying`, `Ready` or `Failed`."),
			"message":           text("Why, for a person."),
			"last_built_at":     text("When the image was built (RFC 3339, UTC)."),
			"ready_replicas":    schema.Int32Attribute{Computed: true, MarkdownDescription: "How many pods are ready."},
			"url":               text("Where an enabled http trigger lets it be called."),
		},
	}
}

func (d *functionData) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

// functionDataModel is what is shown of a function beside what a resource has.
type functionDataModel struct {
	Name            types.String `tfsdk:"name"`
	Namespace       types.String `tfsdk:"namespace"`
	Runtime         types.String `tfsdk:"runtime"`
	Entrypoint      types.String `tfsdk:"entrypoint"`
	Env             types.Map    `tfsdk:"env"`
	Secrets         types.List   `tfsdk:"secrets"`
	Resources       types.Object `tfsdk:"resources"`
	Replicas        types.Int32  `tfsdk:"replicas"`
	TimeoutSec      types.Int32  `tfsdk:"timeout_sec"`
	Concurrency     types.Int32  `tfsdk:"concurrency"`
	Build           types.String `tfsdk:"build"`
	BuildTimeoutSec types.Int32  `tfsdk:"build_timeout_sec"`
	CodeHash        types.String `tfsdk:"code_hash"`
	Image           types.String `tfsdk:"image"`
	Phase           types.String `tfsdk:"phase"`
	Message         types.String `tfsdk:"message"`
	LastBuiltAt     types.String `tfsdk:"last_built_at"`
	ReadyReplicas   types.Int32  `tfsdk:"ready_replicas"`
	URL             types.String `tfsdk:"url"`
}

func (d *functionData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config functionDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	shown, err := d.client.GetFunction(ctx, config.Name.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("The function "+config.Name.ValueString()+" cannot be read", err.Error())
		return
	}
	// Empty and not null: of what is there, nothing is unknown.
	read := functionModel{Env: types.MapValueMust(types.StringType, nil), Secrets: types.ListValueMust(types.StringType, nil)}
	read.take(ctx, shown, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &functionDataModel{
		Name: read.Name, Namespace: read.Namespace, Runtime: read.Runtime, Entrypoint: read.Entrypoint, Env: read.Env, Secrets: read.Secrets,
		Resources: read.Resources, Replicas: read.Replicas, TimeoutSec: read.TimeoutSec, Concurrency: read.Concurrency,
		Build: read.Build, BuildTimeoutSec: read.BuildTimeoutSec, Image: read.Image, Phase: read.Phase, URL: read.URL,
		CodeHash:      textOf(shown.CodeHash),
		Message:       types.StringValue(shown.Message),
		LastBuiltAt:   textOf(shown.LastBuiltAt),
		ReadyReplicas: types.Int32Value(shown.ReadyReplicas),
	})...)
}
