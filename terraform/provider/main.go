// The Terraform provider of sless.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"sless.dev/terraform-provider-sless/internal/provider"
)

// version is set by the linker: -ldflags "-X main.version=…".
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger: print how Terraform reaches this process")
	flag.Parse()
	options := providerserver.ServeOpts{Address: "registry.terraform.io/sless/sless", Debug: *debug}
	if err := providerserver.Serve(context.Background(), provider.New(version), options); err != nil {
		log.Fatal(err)
	}
}
