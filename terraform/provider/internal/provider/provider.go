// Package provider is what Terraform sees of sless: its resources and data sources, in the words of Terraform.
package provider

import (
	"context"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/client"
)

type slessProvider struct{ version string }

// New makes the provider of this version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &slessProvider{version: version} }
}

type providerModel struct {
	Endpoint      types.String `tfsdk:"endpoint"`
	Token         types.String `tfsdk:"token"`
	Namespace     types.String `tfsdk:"namespace"`
	NubesEndpoint types.String `tfsdk:"nubes_endpoint"`
}

func (p *slessProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "sless"
	resp.Version = p.version
}

func (p *slessProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Functions, their triggers and jobs on sless: zip in, URL out.",
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Address of the api, such as `https://sless.example.org`. Without it: `SLESS_ENDPOINT`.",
			},
			"token": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "The Bearer token, a JWT. Without it: `SLESS_API_TOKEN`.",
			},
			"namespace": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Where everything is. Without it: the namespace of the token's `sub`. Another one is for teams whom the installation lets into it.",
			},
			"nubes_endpoint": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "When it is set, it is asked once with the token: a refusal (401, 403) or no connection is an error. Without it: `NUBES_ENDPOINT`.",
			},
		},
	}
}

// Configure takes the namespace from the token and makes sure of it, once for each run of Terraform.
func (p *slessProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.mustBeKnown(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := p.settingsOf(config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.New(settings)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("endpoint"), "Where is sless?", err.Error())
		return
	}
	if nubes := valueOr(config.NubesEndpoint, "NUBES_ENDPOINT"); nubes != "" {
		if err := client.PingNubes(ctx, nubes, settings.Token); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("nubes_endpoint"), "The nubes endpoint does not answer", err.Error())
			return
		}
	}
	if err := made.EnsureNamespace(ctx); err != nil {
		resp.Diagnostics.AddError("The namespace "+settings.Namespace+" cannot be used", err.Error())
		return
	}
	resp.ResourceData = made
	resp.DataSourceData = made
}

// mustBeKnown: without a token there is nothing to plan with.
func (m providerModel) mustBeKnown(diags *diag.Diagnostics) {
	for name, value := range map[string]types.String{"endpoint": m.Endpoint, "token": m.Token, "namespace": m.Namespace, "nubes_endpoint": m.NubesEndpoint} {
		if value.IsUnknown() {
			diags.AddAttributeError(path.Root(name), "Not known yet",
				"This depends on something that is not there yet. Apply that first, with -target, or set it in the environment.")
		}
	}
}

func (p *slessProvider) settingsOf(config providerModel, diags *diag.Diagnostics) client.Settings {
	settings := client.Settings{
		Endpoint:  valueOr(config.Endpoint, "SLESS_ENDPOINT"),
		Token:     valueOr(config.Token, "SLESS_API_TOKEN"),
		Namespace: config.Namespace.ValueString(),
		Version:   p.version,
	}
	if settings.Endpoint == "" {
		diags.AddAttributeError(path.Root("endpoint"), "Where is sless?", "Set endpoint, or SLESS_ENDPOINT.")
	}
	if settings.Token == "" {
		diags.AddAttributeError(path.Root("token"), "Who are you?", "Set token, or SLESS_API_TOKEN.")
		return settings
	}
	namespace, err := client.NamespaceOf(settings.Token, time.Now())
	if err != nil {
		diags.AddAttributeError(path.Root("token"), "The token cannot be used", err.Error())
	}
	if settings.Namespace == "" {
		settings.Namespace = namespace
	}
	return settings
}

func valueOr(value types.String, variable string) string {
	if value.ValueString() != "" {
		return value.ValueString()
	}
	return os.Getenv(variable)
}

func (p *slessProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newFunctionResource, newTriggerResource, newJobResource}
}

func (p *slessProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newFunctionData, newInvocationsData, newNamespaceData}
}

// configured takes the client that Configure made. It is nil while Terraform only validates.
func configured(data any, diags *diag.Diagnostics) *client.Client {
	if data == nil {
		return nil
	}
	made, ok := data.(*client.Client)
	if !ok {
		diags.AddError("A bug of the provider", "It was configured with something else than its client.")
	}
	return made
}
