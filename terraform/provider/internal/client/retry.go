package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	// maxRetries: with pauses that double from a second to half a minute, some three minutes of an api that is away.
	maxRetries    = 8
	shortestPause = time.Second
	longestPause  = 30 * time.Second
	// headerTimeout is beyond the 30 s that a DELETE waits and what an upload of 32 MiB is judged in.
	headerTimeout = 2 * time.Minute
)

// retryingClient tries again what the api, or what stands before it, could not take now: 429, 5xx and lost connections.
func retryingClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() // what net/http says it is
	transport.ResponseHeaderTimeout = headerTimeout
	// An answer that leads elsewhere is none: a token goes nowhere but to the endpoint.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	retrying := &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: transport, CheckRedirect: stay},
		RetryMax:     maxRetries,
		RetryWaitMin: shortestPause,
		RetryWaitMax: longestPause,
		CheckRetry:   isWorthAnotherTry,
		Backoff:      pause,
		// The last answer says more than that there were several.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	standard := retrying.StandardClient()
	standard.CheckRedirect = stay
	return standard
}

// isWorthAnotherTry: the requests of the provider may all be sent twice. Of a create whose answer was lost, see create.
func isWorthAnotherTry(ctx context.Context, response *http.Response, err error) (bool, error) {
	isHopeless := note(ctx, response, err)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if isHopeless {
		return false, nil
	}
	if err != nil {
		return retryablehttp.DefaultRetryPolicy(ctx, response, err)
	}
	switch {
	case response.StatusCode == http.StatusNotImplemented:
		return false, nil
	case response.StatusCode == http.StatusConflict:
		// A conflict that says when to come back is about now, not about the request.
		return response.Header.Get("Retry-After") != "", nil
	default:
		return response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500, nil
	}
}

// pause obeys Retry-After up to a minute, and doubles where there is none.
func pause(shortest, longest time.Duration, attempt int, response *http.Response) time.Duration {
	if response != nil {
		if after, ok := retryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
			return min(max(after, 0), time.Minute)
		}
	}
	return retryablehttp.DefaultBackoff(shortest, longest, attempt, nil)
}

// retryAfter reads seconds or a date (RFC 9110, 10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	return date.Sub(now), err == nil
}

// attempts remembers, for one request, what became of its tries.
type attempts struct {
	// lost: the api may have done what was asked, and its answer did not come.
	lost bool
	// unreached counts the tries that found nobody, up to mostUnreached where that is above 0.
	unreached     int
	mostUnreached int
}

type attemptsKey struct{}

func withAttempts(ctx context.Context) (context.Context, *attempts) {
	made := &attempts{}
	return context.WithValue(ctx, attemptsKey{}, made), made
}

// firstContact is for the first request of all: an endpoint where nobody is is more likely misspelt than away.
func firstContact(ctx context.Context) context.Context {
	ctx, made := withAttempts(ctx)
	made.mostUnreached = 3
	return ctx
}

// note remembers a try. True: nobody has been reached too often.
func note(ctx context.Context, response *http.Response, err error) bool {
	made, ok := ctx.Value(attemptsKey{}).(*attempts)
	if !ok {
		return false
	}
	var operation *net.OpError
	isUnreached := errors.As(err, &operation) && operation.Op == "dial"
	if isUnreached {
		made.unreached++
	} else if err != nil || response.StatusCode >= 500 {
		made.lost = true
	}
	return made.mostUnreached > 0 && made.unreached >= made.mostUnreached
}
