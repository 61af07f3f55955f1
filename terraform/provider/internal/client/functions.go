package client

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"

	"sless.dev/terraform-provider-sless/internal/api"
)

// CreateFunction declares a function, which has no code yet.
func (c *Client) CreateFunction(ctx context.Context, asked api.FunctionCreate) (Created[api.Function], error) {
	return create(ctx, asked,
		func(ctx context.Context) (api.Function, error) {
			return read[api.Function](c.api.CreateFunction(ctx, c.namespace, asked))
		},
		func(ctx context.Context) (api.Function, error) { return c.GetFunction(ctx, asked.Name) })
}

// GetFunction shows a function.
func (c *Client) GetFunction(ctx context.Context, name string) (api.Function, error) {
	return read[api.Function](c.api.GetFunction(ctx, c.namespace, name))
}

// PatchFunction changes the fields that are named; null brings back a default.
func (c *Client) PatchFunction(ctx context.Context, name string, fields api.FunctionPatch) (api.Function, error) {
	return read[api.Function](c.api.PatchFunction(ctx, c.namespace, name, fields))
}

// DeleteFunction deletes a function. False: it is deleted, and some of what it had is still going.
func (c *Client) DeleteFunction(ctx context.Context, name string) (bool, error) {
	status, err := done(c.api.DeleteFunction(ctx, c.namespace, name))
	return status == http.StatusNoContent, err
}

// Upload sends a zip. With stored it is kept under the key that is answered, and the function is left as it is.
func (c *Client) Upload(ctx context.Context, name string, zip []byte, stored bool) (api.Upload, error) {
	body, contentType, err := form(zip)
	if err != nil {
		return api.Upload{}, err
	}
	patch := api.UploadCodeParamsPatchTrue
	if stored {
		patch = api.UploadCodeParamsPatchFalse
	}
	return read[api.Upload](c.api.UploadCodeWithBody(ctx, c.namespace, name, &api.UploadCodeParams{Patch: &patch}, contentType, body))
}

func form(zip []byte) (io.Reader, string, error) {
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	part, err := writer.CreateFormFile("code", "code.zip")
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(zip); err != nil {
		return nil, "", err
	}
	return &body, writer.FormDataContentType(), writer.Close()
}

// BuildLog is the end of what the build of the wanted code has written.
func (c *Client) BuildLog(ctx context.Context, name string, lines int32) (string, error) {
	response, err := c.api.ReadBuildLogs(ctx, c.namespace, name, &api.ReadBuildLogsParams{Tail: &lines})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return "", err
	}
	if !isSuccess(response.StatusCode) {
		return "", failureOf(response, body)
	}
	return string(body), nil
}
