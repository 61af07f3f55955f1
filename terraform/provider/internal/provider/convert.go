package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/oapi-codegen/nullable"
)

// known is a value of Terraform that says whether there is one.
type known interface {
	IsNull() bool
	IsUnknown() bool
}

func isSet(value known) bool { return !value.IsNull() && !value.IsUnknown() }

// orNull is a field of a request: null, which stands for the default, where nothing is set.
func orNull[T any](value known, content T) nullable.Nullable[T] {
	if !isSet(value) {
		return nullable.NewNullNullable[T]()
	}
	return nullable.NewNullableWithValue(content)
}

// textOf is a field of an answer.
func textOf(value nullable.Nullable[string]) types.String {
	text, err := value.Get()
	if err != nil {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func jsonOf(value nullable.Nullable[string]) jsontypes.Normalized {
	text, err := value.Get()
	if err != nil {
		return jsontypes.NewNormalizedNull()
	}
	return jsontypes.NewNormalizedValue(text)
}

func integerOf(value nullable.Nullable[int32]) types.Int32 {
	number, err := value.Get()
	if err != nil {
		return types.Int32Null()
	}
	return types.Int32Value(number)
}

// textMap of an answer. Empty and absent are one to the api: what the state says of the two stays.
func textMap(ctx context.Context, before types.Map, values map[string]string, diags *diag.Diagnostics) types.Map {
	if len(values) == 0 && before.IsNull() {
		return types.MapNull(types.StringType)
	}
	made, found := types.MapValueFrom(ctx, types.StringType, values)
	diags.Append(found...)
	return made
}

// textList of an answer, with the same care.
func textList(ctx context.Context, before types.List, values []string, diags *diag.Diagnostics) types.List {
	if len(values) == 0 && before.IsNull() {
		return types.ListNull(types.StringType)
	}
	made, found := types.ListValueFrom(ctx, types.StringType, values)
	diags.Append(found...)
	return made
}

// into reads a map or a list of Terraform into Go.
func into[T any](ctx context.Context, value interface {
	attr.Value
	known
}, convert func(context.Context, any, bool) diag.Diagnostics, diags *diag.Diagnostics) T {
	var content T
	if isSet(value) {
		diags.Append(convert(ctx, &content, false)...)
	}
	return content
}
