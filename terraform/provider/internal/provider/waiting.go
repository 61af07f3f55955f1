package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sless.dev/terraform-provider-sless/internal/api"
	"sless.dev/terraform-provider-sless/internal/client"
)

const (
	// verdictTime is given on top of a time limit that the platform has too: its own word on what took too long says more.
	verdictTime = 15 * time.Second
	// goneTime: what a deleted object leaves behind is gone when its pods have ended.
	goneTime = 2 * time.Minute
	// logLines of a build that failed go into the error.
	logLines = 40
)

// pauses between two looks: soon at first, for code without dependencies is ready within a second on a machine of one's own.
var pauses = []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}

var errTooLong = errors.New("it took too long")

// poll looks until it is told that this is the end, at once when Terraform is interrupted, and until a moment at the latest.
func poll(ctx context.Context, until time.Time, look func(context.Context) (bool, error)) error {
	for looks := 0; ; looks++ {
		if isEnd, err := look(ctx); isEnd || err != nil {
			return err
		}
		if time.Now().After(until) {
			return errTooLong
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted: %w", ctx.Err())
		case <-time.After(pauses[min(looks, len(pauses)-1)]):
		}
	}
}

// untilGone asks for an object that was deleted until it is not found any more.
func untilGone(ctx context.Context, get func(context.Context) error) error {
	return poll(ctx, time.Now().Add(goneTime), func(ctx context.Context) (bool, error) {
		err := get(ctx)
		if client.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

// readiness is what a function is waited for with.
type readiness struct {
	name string
	// key of the code that was sent; empty for whatever is there.
	key   string
	until time.Time
}

// untilReady waits until a function is ready. A function without code is as it shall be.
func (r *functionResource) untilReady(ctx context.Context, wait readiness) (api.Function, error) {
	var shown api.Function
	err := poll(ctx, wait.until, func(ctx context.Context) (bool, error) {
		var err error
		if shown, err = r.client.GetFunction(ctx, wait.name); err != nil {
			return false, err
		}
		key, _ := shown.S3Key.Get() // without one it is empty
		if wait.key != "" && key != wait.key {
			return false, errors.New("somebody else sent other code meanwhile; plan again")
		}
		if shown.Phase == api.FunctionPhaseFailed {
			return false, r.whyFailed(ctx, shown)
		}
		return shown.Phase == api.FunctionPhaseReady || key == "", nil
	})
	if errors.Is(err, errTooLong) {
		err = fmt.Errorf("it is still %s: %s\n\nThe wait is build_timeout_sec%s", shown.Phase, shown.Message, r.buildLog(ctx, shown))
	}
	return shown, err
}

func (r *functionResource) whyFailed(ctx context.Context, shown api.Function) error {
	reason := shown.Message
	if reason == "" {
		reason = "the platform gives no reason"
	}
	if wasBuilt(shown) {
		return errors.New(reason)
	}
	return errors.New(reason + r.buildLog(ctx, shown))
}

// buildLog is the end of it, under a title; nothing where there is none, or where the message says it already.
func (r *functionResource) buildLog(ctx context.Context, shown api.Function) string {
	text, err := r.client.BuildLog(ctx, shown.Name, logLines)
	text = strings.TrimSpace(text)
	if err != nil || text == "" || strings.Contains(shown.Message, text) {
		return ""
	}
	return "\n\nThe end of the build log:\n" + text
}

func wasBuilt(shown api.Function) bool {
	for _, condition := range shown.Conditions {
		if condition.Type == "Built" {
			return condition.Status == api.ConditionStatusTrue
		}
	}
	return false
}
