package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/api"
)

// jobModel is a job as Terraform knows it.
type jobModel struct {
	Name           types.String         `tfsdk:"name"`
	Namespace      types.String         `tfsdk:"namespace"`
	Function       types.String         `tfsdk:"function"`
	EventJSON      jsontypes.Normalized `tfsdk:"event_json"`
	RunID          types.Int64          `tfsdk:"run_id"`
	Retries        types.Int32          `tfsdk:"retries"`
	TimeoutSec     types.Int32          `tfsdk:"timeout_sec"`
	WaitTimeoutSec types.Int32          `tfsdk:"wait_timeout_sec"`
	Phase          types.String         `tfsdk:"phase"`
	Result         types.String         `tfsdk:"result"`
}

func (m *jobModel) patch() api.JobPatch {
	return api.JobPatch{
		EventJson:      orNull(m.EventJSON, m.EventJSON.ValueString()),
		RunId:          orNull(m.RunID, m.RunID.ValueInt64()),
		Retries:        orNull(m.Retries, m.Retries.ValueInt32()),
		TimeoutSeconds: orNull(m.TimeoutSec, m.TimeoutSec.ValueInt32()),
	}
}

func (m *jobModel) create() api.JobCreate {
	fields := m.patch()
	return api.JobCreate{
		Name:           m.Name.ValueString(),
		Function:       m.Function.ValueString(),
		EventJson:      fields.EventJson,
		RunId:          fields.RunId,
		Retries:        fields.Retries,
		TimeoutSeconds: fields.TimeoutSeconds,
	}
}

func (m *jobModel) take(shown api.Job) {
	m.Name = types.StringValue(shown.Name)
	m.Namespace = types.StringValue(shown.Namespace)
	m.Function = types.StringValue(shown.Function)
	m.EventJSON = jsonOf(shown.EventJson)
	m.RunID = types.Int64Value(shown.RunId)
	m.Retries = types.Int32Value(int32(shown.Retries))
	m.TimeoutSec = types.Int32Value(int32(shown.TimeoutSeconds))
	m.Phase = types.StringValue(string(shown.Phase))
	m.Result = textOf(shown.Result)
	if m.WaitTimeoutSec.IsNull() {
		m.WaitTimeoutSec = types.Int32Value(waitSeconds) // of a job that was imported
	}
}
