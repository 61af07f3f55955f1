// Package client speaks with the REST API of sless: the generated client, with retries, and with errors in words.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"sless.dev/terraform-provider-sless/internal/api"
)

// maxAnswerBytes is more than any answer that the provider asks for.
const maxAnswerBytes = 16 << 20

// Settings say where the api is and who asks.
type Settings struct {
	Endpoint  string
	Token     string
	Namespace string
	// Version of the provider, for the User-Agent.
	Version string
}

// Client asks about one namespace. Every error that is an answer of the api is a *Failure.
type Client struct {
	api       api.ClientInterface
	namespace string
	endpoint  string
}

// New makes a client; it asks nothing yet.
func New(settings Settings) (*Client, error) {
	if err := checkEndpoint(settings.Endpoint); err != nil {
		return nil, err
	}
	endpoint := strings.TrimRight(settings.Endpoint, "/")
	identify := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+settings.Token)
		request.Header.Set("User-Agent", "terraform-provider-sless/"+settings.Version)
		return nil
	}
	generated, err := api.NewClient(endpoint, api.WithHTTPClient(retryingClient()), api.WithRequestEditorFn(identify))
	if err != nil {
		return nil, err
	}
	return &Client{api: generated, namespace: settings.Namespace, endpoint: endpoint}, nil
}

// Namespace that everything is in.
func (c *Client) Namespace() string { return c.namespace }

// Endpoint of the api, without a slash at its end.
func (c *Client) Endpoint() string { return c.endpoint }

// EnsureNamespace makes the namespace of the token where it is not there yet.
func (c *Client) EnsureNamespace(ctx context.Context) error {
	_, err := read[api.EnsuredNamespace](c.api.EnsureNamespace(firstContact(ctx), c.namespace))
	return err
}

// ListInvocations lists calls of a function, newest first.
func (c *Client) ListInvocations(ctx context.Context, function string, params api.ListInvocationsParams) (api.InvocationList, error) {
	return read[api.InvocationList](c.api.ListInvocations(ctx, c.namespace, function, &params))
}

// read takes what the generated client answers: a success as its JSON, anything else as a *Failure.
func read[T any](response *http.Response, err error) (T, error) {
	var answer T
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return answer, fmt.Errorf("the answer of %s broke off: %w", response.Request.URL.Path, err)
	}
	if !isSuccess(response.StatusCode) {
		return answer, failureOf(response, body)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("the answer of %s cannot be read: %w", response.Request.URL.Path, err)
	}
	return answer, nil
}

// done takes an answer whose body says nothing. The status tells 202, still going on, from 204.
func done(response *http.Response, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err == nil && !isSuccess(response.StatusCode) {
		err = failureOf(response, body)
	}
	return response.StatusCode, err
}

func isSuccess(status int) bool {
	return slices.Contains([]int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}, status)
}
