package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sless.dev/terraform-provider-sless/internal/api"
)

// seenTime is what the operator needs to see a job that runs nothing, or that nobody waits for.
const seenTime = 10 * time.Second

// whenEnded waits for the run that is planned. A job without a new one is looked at until the operator has seen it: before, the api tells nothing
// of the run that it had.
func (r *jobResource) whenEnded(ctx context.Context, plan *jobModel, isNew bool) (api.Job, error) {
	wait := time.Duration(plan.WaitTimeoutSec.ValueInt32()) * time.Second
	isRun := isNew && plan.RunID.ValueInt64() > 0 && wait > 0
	limit := seenTime
	if isRun {
		limit = wait
	}
	var shown api.Job
	err := poll(ctx, time.Now().Add(limit), func(ctx context.Context) (bool, error) {
		found, err := r.client.GetJob(ctx, plan.Name.ValueString())
		if err != nil {
			return false, err
		}
		shown = found
		return isEnd(shown, isRun)
	})
	if errors.Is(err, errTooLong) {
		if !isRun {
			return shown, nil
		}
		err = fmt.Errorf("the run %d has not ended within wait_timeout_sec; it is %s: %s\n\nIt goes on. `terraform untaint` keeps a job that is tainted now from being made anew, and so from running twice", shown.RunId, shown.Phase, shown.Message)
	}
	return shown, err
}

// isEnd tells whether there is nothing more to wait for, and how a run failed.
func isEnd(shown api.Job, isRun bool) (bool, error) {
	if !isRun {
		return shown.Phase != api.JobPhasePending, nil
	}
	if isRefused(shown) {
		return false, errors.New(shown.Message)
	}
	switch shown.Phase {
	case api.JobPhaseFailed:
		return false, fmt.Errorf("the run %d failed: %s\n\nTo run it again, raise run_id", shown.RunId, shown.Message)
	case api.JobPhaseSucceeded, api.JobPhaseSkipped:
		return true, nil
	default:
		return false, nil
	}
}

// isRefused: the platform has had a higher run, which is not in the state.
func isRefused(shown api.Job) bool {
	for _, condition := range shown.Conditions {
		if condition.Type == "Ready" && condition.Reason == string(api.ErrorCodeRunNotHigher) && shown.Phase != api.JobPhasePending {
			return true
		}
	}
	return false
}
