package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/client"
)

// isElsewhere tells whether an object of the state lies in another namespace than the provider's, and says so. The namespace follows from the
// token: with another person's the objects would all seem deleted, be made a second time, and be left alone where they are.
func isElsewhere(c *client.Client, namespace types.String, diags *diag.Diagnostics) bool {
	if !isSet(namespace) || namespace.ValueString() == c.Namespace() {
		return false
	}
	diags.AddError("This state is of another namespace", fmt.Sprintf(
		"The state's objects are in %s, and this token leads to %s. Use the token of before, or set namespace = %q where that token may go there.",
		namespace.ValueString(), c.Namespace(), namespace.ValueString()))
	return true
}
