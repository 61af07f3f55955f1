package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/code"
)

// usualEntrypoint is that of every runtime so far. Only what a single folder in a zip means hangs on it.
const usualEntrypoint = "handler.handle"

// readCode makes the zip of what is configured.
func readCode(model *functionModel) (code.Archive, error) {
	entrypoint := usualEntrypoint
	if isSet(model.Entrypoint) {
		entrypoint = model.Entrypoint.ValueString()
	}
	if isSet(model.SourceDir) {
		return code.FromFolder(model.SourceDir.ValueString(), entrypoint)
	}
	return code.FromZip(model.Filename.ValueString(), entrypoint)
}

// prepared is what an apply begins with.
type prepared struct {
	config tfsdk.Config
	plan   *functionModel
	diags  *diag.Diagnostics
}

// prepare reads the code, before anything is asked of the api. Between plan and apply
// the code must not have changed: something else would be deployed than was agreed to.
func (r *functionResource) prepare(ctx context.Context, begin prepared) *code.Archive {
	var config functionModel
	begin.diags.Append(begin.config.Get(ctx, &config)...)
	if begin.diags.HasError() || !begin.plan.hasCode() {
		return nil
	}
	archive, err := readCode(begin.plan)
	if err == nil && config.CodeHash.IsNull() && isSet(begin.plan.CodeHash) && begin.plan.CodeHash.ValueString() != archive.Hash {
		err = errors.New("the code has changed since it was planned; plan again")
	}
	if err != nil {
		begin.diags.AddAttributeError(codePath(begin.plan), "The code cannot be sent", err.Error())
		return nil
	}
	if begin.plan.CodeHash.IsUnknown() {
		begin.plan.CodeHash = types.StringValue(archive.Hash)
	}
	return &archive
}

// codePath is the attribute that names the code.
func codePath(model *functionModel) path.Path {
	if model.SourceDir.IsNull() {
		return path.Root("filename")
	}
	return path.Root("source_dir")
}
