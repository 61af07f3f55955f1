package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/client"
)

func TestAStateOfAnotherNamespaceIsTold(t *testing.T) {
	made, err := client.New(client.Settings{Endpoint: "http://127.0.0.1:1", Token: "t", Namespace: "sless-mine"})
	if err != nil {
		t.Fatal(err)
	}
	var diags diag.Diagnostics
	for _, namespace := range []types.String{types.StringNull(), types.StringUnknown(), types.StringValue("sless-mine")} {
		if isElsewhere(made, namespace, &diags) || diags.HasError() {
			t.Errorf("%s: %v", namespace, diags)
		}
	}
	if !isElsewhere(made, types.StringValue("sless-theirs"), &diags) || !strings.Contains(diags.Errors()[0].Detail(), `namespace = "sless-theirs"`) {
		t.Errorf("got %v", diags)
	}
}
