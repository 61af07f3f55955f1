package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

func TestEverySchemaHoldsAndExplainsEachArgument(t *testing.T) {
	server, err := providerserver.NewProtocol6WithError(New("test")())()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range schemas.Diagnostics {
		t.Errorf("%s: %s", problem.Summary, problem.Detail)
	}
	explain := func(kind string, of map[string]*tfprotov6.Schema) {
		for name, schema := range of {
			for _, attribute := range schema.Block.Attributes {
				if attribute.Description == "" {
					t.Errorf("%s %s: %s has no description", kind, name, attribute.Name)
				}
			}
		}
	}
	explain("resource", schemas.ResourceSchemas)
	explain("data source", schemas.DataSourceSchemas)
	explain("provider", map[string]*tfprotov6.Schema{"sless": schemas.Provider})
}
