package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"sless.dev/terraform-provider-sless/internal/api"
	"sless.dev/terraform-provider-sless/internal/code"
)

// deployment is a change of a function that is on its way.
type deployment struct {
	plan *functionModel
	// prior is nil for a function that is new.
	prior *functionModel
	isNew bool
	// code is what has to be sent; nil where it is there already.
	code *code.Archive
}

// needsCode tells whether the code differs from what is there, or has to be tried again.
func (d deployment) needsCode() bool {
	if !d.plan.hasCode() {
		return false
	}
	return d.isNew || isFailed(d.prior.Phase) || !d.plan.CodeHash.Equal(d.prior.CodeHash)
}

// isAtOnce tells whether fields and code can be changed in one step, so that neither ever runs without the other. Code is judged by the runtime
// and entrypoint that are there, so these have to come first; a build that failed is tried again only by an upload of its own.
func (d deployment) isAtOnce() bool {
	return d.code != nil && !d.isNew && !isFailed(d.prior.Phase) &&
		d.plan.Runtime.Equal(d.prior.Runtime) && d.plan.Entrypoint.Equal(d.prior.Entrypoint)
}

// deployed is what a deployment has come to.
type deployed struct {
	shown api.Function
	// sent is the code_hash that the api found in what was sent; empty where nothing was.
	sent string
}

// deploy carries out a change and waits until the function is ready with it.
func (r *functionResource) deploy(ctx context.Context, change deployment) (deployed, error) {
	began := time.Now()
	name := change.plan.Name.ValueString()
	var sent api.Upload
	var err error
	if change.isAtOnce() {
		if sent, err = r.client.Upload(ctx, name, change.code.Zip, true); err != nil {
			return deployed{}, err
		}
	}
	if !change.isNew {
		var diags diag.Diagnostics
		fields := change.plan.patch(ctx, &diags)
		if sent.S3Key != "" {
			fields.S3Key.Set(sent.S3Key)
		}
		if diags.HasError() {
			return deployed{}, errors.New(diags.Errors()[0].Detail())
		}
		if _, err := r.client.PatchFunction(ctx, name, fields); err != nil {
			return deployed{}, err
		}
	}
	if change.code != nil && !change.isAtOnce() {
		if sent, err = r.client.Upload(ctx, name, change.code.Zip, false); err != nil {
			return deployed{}, err
		}
	}
	limit := time.Duration(change.plan.BuildTimeoutSec.ValueInt32())*time.Second + verdictTime
	shown, err := r.untilReady(ctx, readiness{name: name, key: sent.S3Key, until: began.Add(limit)})
	return deployed{shown: shown, sent: sent.CodeHash}, err
}

// settled is the end of a deployment, and where it is written down.
type settled struct {
	config  tfsdk.Config
	plan    *functionModel
	found   deployed
	err     error
	state   *tfsdk.State
	private privateState
	diags   *diag.Diagnostics
}

// settle writes the state of a deployment that succeeded, and beside it what the state alone does not say. Of one that did not, neither: what
// is remembered must speak of the very state that is kept, or a plan would find nothing to do.
func (r *functionResource) settle(ctx context.Context, end settled) {
	name := end.plan.Name.ValueString()
	if end.err != nil {
		end.diags.AddError("The function "+name+" is not ready", end.err.Error())
		return
	}
	if end.found.sent != "" {
		rememberSent(ctx, end.found.sent, end.private, end.diags)
	}
	var config functionModel
	end.diags.Append(end.config.Get(ctx, &config)...)
	rememberEntrypoint(ctx, config.Entrypoint, end.private, end.diags)
	model := *end.plan
	model.take(ctx, end.found.shown, end.diags)
	if model.CodeHash.IsUnknown() {
		model.CodeHash = textOf(end.found.shown.CodeHash)
	}
	if isSet(end.plan.URL) {
		model.URL = end.plan.URL // a trigger that went meanwhile is seen by the next refresh
	}
	end.diags.Append(end.state.Set(ctx, &model)...)
}
