package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/client"
)

type namespaceData struct{ client *client.Client }

var _ datasource.DataSourceWithConfigure = &namespaceData{}

func newNamespaceData() datasource.DataSource { return &namespaceData{} }

func (d *namespaceData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_namespace"
}

func (d *namespaceData) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The namespace that the provider works in.",
		Attributes: map[string]schema.Attribute{
			"name":     schema.StringAttribute{Computed: true, MarkdownDescription: "Its name: that of the token's `sub`, or the provider's `namespace`."},
			"endpoint": schema.StringAttribute{Computed: true, MarkdownDescription: "The api that it is on."},
		},
	}
}

func (d *namespaceData) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

type namespaceModel struct {
	Name     types.String `tfsdk:"name"`
	Endpoint types.String `tfsdk:"endpoint"`
}

// Read asks nothing: the provider has made sure of the namespace when it was configured.
func (d *namespaceData) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	model := namespaceModel{Name: types.StringValue(d.client.Namespace()), Endpoint: types.StringValue(d.client.Endpoint())}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
