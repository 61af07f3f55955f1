package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// amounts of a pod, such as {"requests": {"cpu": "250m"}}: the shape of the api's JSON, whose generated types have no name.
type amounts map[string]map[string]string

var amountsType = types.ObjectType{AttrTypes: map[string]attr.Type{"cpu": types.StringType, "memory": types.StringType}}

var resourcesType = map[string]attr.Type{"requests": amountsType, "limits": amountsType}

// resourcesModel is the processor and memory of a pod.
type resourcesModel struct {
	Requests types.Object `tfsdk:"requests"`
	Limits   types.Object `tfsdk:"limits"`
}

// askResources writes what is configured into a field of a request; null for the defaults of the installation.
func askResources(ctx context.Context, value types.Object, into json.Unmarshaler, diags *diag.Diagnostics) {
	var asked amounts
	if isSet(value) {
		asked = amounts{}
		var model resourcesModel
		diags.Append(value.As(ctx, &model, basetypes.ObjectAsOptions{})...)
		for name, each := range map[string]types.Object{"requests": model.Requests, "limits": model.Limits} {
			if isSet(each) {
				asked[name] = textsOf(each)
			}
		}
	}
	text, err := json.Marshal(asked)
	if err == nil {
		err = into.UnmarshalJSON(text)
	}
	if err != nil {
		diags.AddError("The resources cannot be written", err.Error())
	}
}

// textsOf the members of an object that are set.
func textsOf(value types.Object) map[string]string {
	found := map[string]string{}
	for name, member := range value.Attributes() {
		if text, ok := member.(types.String); ok && isSet(text) {
			found[name] = text.ValueString()
		}
	}
	return found
}

// readResources of an answer. Requests that are written without an amount stay so, where the api has nothing.
func readResources(before types.Object, shown json.Marshaler, diags *diag.Diagnostics) types.Object {
	var has amounts
	text, err := shown.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &has)
	}
	if err != nil {
		diags.AddError("The resources of the function cannot be read", err.Error())
	}
	if has == nil {
		return types.ObjectNull(resourcesType)
	}
	members := map[string]attr.Value{}
	for name := range resourcesType {
		members[name] = readAmounts(before.Attributes()[name], has[name])
	}
	made, found := types.ObjectValue(resourcesType, members)
	diags.Append(found...)
	return made
}

func readAmounts(before attr.Value, has map[string]string) types.Object {
	wasWritten := before != nil && !before.IsNull()
	if len(has) == 0 && !wasWritten {
		return types.ObjectNull(amountsType.AttrTypes)
	}
	members := map[string]attr.Value{}
	for name := range amountsType.AttrTypes {
		members[name] = types.StringNull()
		if amount, ok := has[name]; ok {
			members[name] = types.StringValue(amount)
		}
	}
	return types.ObjectValueMust(amountsType.AttrTypes, members)
}
