package client

import (
	"context"

	"sless.dev/terraform-provider-sless/internal/api"
)

// CreateTrigger declares a trigger.
func (c *Client) CreateTrigger(ctx context.Context, asked api.TriggerCreate) (Created[api.Trigger], error) {
	return create(ctx, asked,
		func(ctx context.Context) (api.Trigger, error) {
			return read[api.Trigger](c.api.CreateTrigger(ctx, c.namespace, asked))
		},
		func(ctx context.Context) (api.Trigger, error) { return c.GetTrigger(ctx, asked.Name) })
}

// GetTrigger shows a trigger.
func (c *Client) GetTrigger(ctx context.Context, name string) (api.Trigger, error) {
	return read[api.Trigger](c.api.GetTrigger(ctx, c.namespace, name))
}

// PatchTrigger changes the fields that are named; null brings back a default.
func (c *Client) PatchTrigger(ctx context.Context, name string, fields api.TriggerPatch) (api.Trigger, error) {
	return read[api.Trigger](c.api.PatchTrigger(ctx, c.namespace, name, fields))
}

// DeleteTrigger deletes a trigger.
func (c *Client) DeleteTrigger(ctx context.Context, name string) error {
	_, err := done(c.api.DeleteTrigger(ctx, c.namespace, name))
	return err
}
