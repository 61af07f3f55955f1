package client

import (
	"context"
	"net/http"

	"sless.dev/terraform-provider-sless/internal/api"
)

// CreateJob declares a job.
func (c *Client) CreateJob(ctx context.Context, asked api.JobCreate) (Created[api.Job], error) {
	return create(ctx, asked,
		func(ctx context.Context) (api.Job, error) {
			return read[api.Job](c.api.CreateJob(ctx, c.namespace, asked))
		},
		func(ctx context.Context) (api.Job, error) { return c.GetJob(ctx, asked.Name) })
}

// GetJob shows a job and its last run.
func (c *Client) GetJob(ctx context.Context, name string) (api.Job, error) {
	return read[api.Job](c.api.GetJob(ctx, c.namespace, name))
}

// PatchJob changes the fields that are named; null brings back a default.
func (c *Client) PatchJob(ctx context.Context, name string, fields api.JobPatch) (api.Job, error) {
	return read[api.Job](c.api.PatchJob(ctx, c.namespace, name, fields))
}

// DeleteJob deletes a job and ends what runs of it. False: its run is still ending.
func (c *Client) DeleteJob(ctx context.Context, name string) (bool, error) {
	status, err := done(c.api.DeleteJob(ctx, c.namespace, name))
	return status == http.StatusNoContent, err
}
