package client

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// pingTimeout: an endpoint that is there answers within it.
const pingTimeout = 10 * time.Second

// PingNubes asks the nubes endpoint once with the token. A refusal of the token and an endpoint that is not there are errors; whatever else
// it answers shows that both are good.
func PingNubes(ctx context.Context, endpoint, token string) error {
	if err := checkEndpoint(endpoint); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := (&http.Client{Timeout: pingTimeout, CheckRedirect: stay}).Do(request)
	if err != nil {
		return fmt.Errorf("%s cannot be reached: %w", endpoint, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		return fmt.Errorf("%s refuses the token (HTTP %d)", endpoint, response.StatusCode)
	}
	return nil
}
