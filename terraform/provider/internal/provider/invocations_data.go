package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/oapi-codegen/nullable"

	"sless.dev/terraform-provider-sless/internal/api"
	"sless.dev/terraform-provider-sless/internal/client"
)

// maxInvocations is one page of the api at its largest.
const maxInvocations = 500

type invocationsData struct{ client *client.Client }

var _ datasource.DataSourceWithConfigure = &invocationsData{}

func newInvocationsData() datasource.DataSource { return &invocationsData{} }

func (d *invocationsData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_invocations"
}

func (d *invocationsData) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	integer := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The latest calls of a function, newest first: by HTTP, on a schedule, from queues and as jobs. Needs an installation that records them.",
		Attributes: map[string]schema.Attribute{
			"function": schema.StringAttribute{Required: true, MarkdownDescription: "The function's name."},
			"trigger": schema.StringAttribute{Optional: true, MarkdownDescription: "Only calls by this: `http`, `cron`, `event` or `job`.",
				Validators: []validator.String{stringvalidator.OneOf("http", "cron", "event", "job")}},
			"outcome": schema.StringAttribute{Optional: true, MarkdownDescription: "Only calls that ended so: `ok`, `error` or `failed`.",
				Validators: []validator.String{stringvalidator.OneOf("ok", "error", "failed")}},
			"limit": schema.Int32Attribute{Optional: true, MarkdownDescription: "At most so many, up to 500. By default 100.",
				Validators: []validator.Int32{int32validator.Between(1, maxInvocations)}},
			"items": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The calls.", NestedObject: schema.NestedAttributeObject{
				Attributes: map[string]schema.Attribute{
					"id":           text("What the call is known by."),
					"trigger":      text("What called: `http`, `cron`, `event` or `job`."),
					"trigger_name": text("The trigger's or job's name."),
					"started_at":   text("When it began (RFC 3339, UTC)."),
					"duration_ms":  schema.Float64Attribute{Computed: true, MarkdownDescription: "How long it took, in milliseconds."},
					"outcome":      text("`ok`: answered below 400; `error`: answered 400 or more; `failed`: no answer of its own."),
					"status":       integer("The HTTP status that the caller saw."),
					"reason":       text("An error code, where the call failed."),
					"attempt":      integer("1 for the first try."),
					"request_id":   text("As in `X-Request-Id` and in the logs."),
				},
			}},
		},
	}
}

func (d *invocationsData) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

type invocationsModel struct {
	Function types.String      `tfsdk:"function"`
	Trigger  types.String      `tfsdk:"trigger"`
	Outcome  types.String      `tfsdk:"outcome"`
	Limit    types.Int32       `tfsdk:"limit"`
	Items    []invocationModel `tfsdk:"items"`
}

type invocationModel struct {
	ID          types.String  `tfsdk:"id"`
	Trigger     types.String  `tfsdk:"trigger"`
	TriggerName types.String  `tfsdk:"trigger_name"`
	StartedAt   types.String  `tfsdk:"started_at"`
	DurationMs  types.Float64 `tfsdk:"duration_ms"`
	Outcome     types.String  `tfsdk:"outcome"`
	Status      types.Int64   `tfsdk:"status"`
	Reason      types.String  `tfsdk:"reason"`
	Attempt     types.Int64   `tfsdk:"attempt"`
	RequestID   types.String  `tfsdk:"request_id"`
}

func (d *invocationsData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model invocationsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	params := api.ListInvocationsParams{
		Limit:   model.Limit.ValueInt32Pointer(),
		Trigger: (*api.ListInvocationsParamsTrigger)(model.Trigger.ValueStringPointer()),
		Outcome: (*api.ListInvocationsParamsOutcome)(model.Outcome.ValueStringPointer()),
	}
	list, err := d.client.ListInvocations(ctx, model.Function.ValueString(), params)
	if err != nil {
		resp.Diagnostics.AddError("The calls of "+model.Function.ValueString()+" cannot be read", err.Error())
		return
	}
	model.Items = []invocationModel{}
	for _, each := range list.Items {
		model.Items = append(model.Items, invocationOf(each))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func invocationOf(shown api.Invocation) invocationModel {
	return invocationModel{
		ID:          types.StringValue(shown.Id.String()),
		Trigger:     types.StringValue(string(shown.Trigger)),
		TriggerName: textOf(shown.TriggerName),
		StartedAt:   types.StringValue(shown.StartedAt),
		DurationMs:  types.Float64Value(float64(shown.DurationMs)),
		Outcome:     types.StringValue(string(shown.Outcome)),
		Status:      longOf(shown.Status),
		Reason:      textOf(shown.Reason),
		Attempt:     types.Int64Value(int64(shown.Attempt)),
		RequestID:   textOf(shown.RequestId),
	}
}

func longOf(value nullable.Nullable[int]) types.Int64 {
	number, err := value.Get()
	if err != nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(number))
}
