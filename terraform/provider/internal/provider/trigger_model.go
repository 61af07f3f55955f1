package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/oapi-codegen/nullable"

	"sless.dev/terraform-provider-sless/internal/api"
)

// triggerModel is a trigger as Terraform knows it.
type triggerModel struct {
	Name              types.String         `tfsdk:"name"`
	Namespace         types.String         `tfsdk:"namespace"`
	Type              types.String         `tfsdk:"type"`
	Function          types.String         `tfsdk:"function"`
	Enabled           types.Bool           `tfsdk:"enabled"`
	Schedule          types.String         `tfsdk:"schedule"`
	TimeZone          types.String         `tfsdk:"time_zone"`
	Payload           jsontypes.Normalized `tfsdk:"payload"`
	ConcurrencyPolicy types.String         `tfsdk:"concurrency_policy"`
	Queue             types.String         `tfsdk:"queue"`
	Prefetch          types.Int32          `tfsdk:"prefetch"`
	MaxAttempts       types.Int32          `tfsdk:"max_attempts"`
	DeadLetterQueue   types.String         `tfsdk:"dead_letter_queue"`
	BrokerSecret      types.String         `tfsdk:"broker_secret"`
	Active            types.Bool           `tfsdk:"active"`
	URL               types.String         `tfsdk:"url"`
}

// patch names every field; the null of one that belongs to another type says nothing.
func (m *triggerModel) patch() api.TriggerPatch {
	return api.TriggerPatch{
		Enabled:           orNull(m.Enabled, m.Enabled.ValueBool()),
		Schedule:          orNull(m.Schedule, m.Schedule.ValueString()),
		TimeZone:          orNull(m.TimeZone, m.TimeZone.ValueString()),
		Payload:           orNull(m.Payload, m.Payload.ValueString()),
		ConcurrencyPolicy: orNull(m.ConcurrencyPolicy, api.TriggerPatchConcurrencyPolicy(m.ConcurrencyPolicy.ValueString())),
		Queue:             orNull(m.Queue, m.Queue.ValueString()),
		Prefetch:          orNull(m.Prefetch, m.Prefetch.ValueInt32()),
		MaxAttempts:       orNull(m.MaxAttempts, m.MaxAttempts.ValueInt32()),
		DeadLetterQueue:   orNull(m.DeadLetterQueue, m.DeadLetterQueue.ValueString()),
		BrokerSecret:      orNull(m.BrokerSecret, m.BrokerSecret.ValueString()),
	}
}

func (m *triggerModel) create() api.TriggerCreate {
	fields := m.patch()
	return api.TriggerCreate{
		Name:              m.Name.ValueString(),
		Type:              api.TriggerCreateType(m.Type.ValueString()),
		Function:          m.Function.ValueString(),
		Enabled:           fields.Enabled,
		Schedule:          fields.Schedule,
		TimeZone:          fields.TimeZone,
		Payload:           fields.Payload,
		ConcurrencyPolicy: orNull(m.ConcurrencyPolicy, api.TriggerCreateConcurrencyPolicy(m.ConcurrencyPolicy.ValueString())),
		Queue:             fields.Queue,
		Prefetch:          fields.Prefetch,
		MaxAttempts:       fields.MaxAttempts,
		DeadLetterQueue:   fields.DeadLetterQueue,
		BrokerSecret:      fields.BrokerSecret,
	}
}

func (m *triggerModel) take(shown api.Trigger) {
	m.Name = types.StringValue(shown.Name)
	m.Namespace = types.StringValue(shown.Namespace)
	m.Type = types.StringValue(string(shown.Type))
	m.Function = types.StringValue(shown.Function)
	m.Enabled = types.BoolValue(shown.Enabled)
	m.Schedule = textOf(shown.Schedule)
	m.TimeZone = textOf(shown.TimeZone)
	m.Payload = jsonOf(shown.Payload)
	m.ConcurrencyPolicy = policyOf(shown.ConcurrencyPolicy)
	m.Queue = textOf(shown.Queue)
	m.Prefetch = integerOf(shown.Prefetch)
	m.MaxAttempts = integerOf(shown.MaxAttempts)
	m.DeadLetterQueue = textOf(shown.DeadLetterQueue)
	m.BrokerSecret = textOf(shown.BrokerSecret)
	m.Active = types.BoolValue(shown.Active)
	m.URL = textOf(shown.Url)
}

func policyOf(shown nullable.Nullable[api.TriggerConcurrencyPolicy]) types.String {
	policy, err := shown.Get()
	if err != nil {
		return types.StringNull()
	}
	return types.StringValue(string(policy))
}
