package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the provider remembers beside the state.
const (
	// sentKey: the code_hash that the api found in what was sent last. The state's own code_hash may be any word of the configuration's.
	sentKey = "sent"
	// entrypointKey: whether the entrypoint was configured, so that one which is no longer configured goes back to its default.
	entrypointKey = "entrypoint"
)

// privateState is kept by Terraform and shown to nobody.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func rememberSent(ctx context.Context, hash string, private privateState, diags *diag.Diagnostics) {
	remember(ctx, sentKey, hash, private, diags)
}

func sentHash(ctx context.Context, private privateState, diags *diag.Diagnostics) string {
	return recall[string](ctx, sentKey, private, diags)
}

func rememberEntrypoint(ctx context.Context, configured types.String, private privateState, diags *diag.Diagnostics) {
	remember(ctx, entrypointKey, !configured.IsNull(), private, diags)
}

func wasEntrypointConfigured(ctx context.Context, private privateState, diags *diag.Diagnostics) bool {
	return recall[bool](ctx, entrypointKey, private, diags)
}

func remember(ctx context.Context, key string, value any, private privateState, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.AddError("A bug of the provider", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, key, text)...)
}

// recall answers the zero value for what was never remembered: an object that was imported.
func recall[T any](ctx context.Context, key string, private privateState, diags *diag.Diagnostics) T {
	var value T
	text, found := private.GetKey(ctx, key)
	diags.Append(found...)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &value); err != nil {
			diags.AddError("The private state cannot be read", err.Error())
		}
	}
	return value
}
