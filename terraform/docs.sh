#!/usr/bin/env bash
# Makes terraform/provider/docs of the provider's schema, templates/ and examples/, by tfplugindocs. With --check: tells whether they are current.
# Needs Go, and tofu or terraform (TF_ACC_TERRAFORM_PATH, or on the PATH) to ask the provider for its schema.
set -euo pipefail
cd "$(dirname "$0")/provider"
terraform=${TF_ACC_TERRAFORM_PATH:-$(command -v tofu || command -v terraform)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

go build -o "$folder/terraform-provider-sless" .
printf 'provider_installation {\n  dev_overrides {\n    "sless/sless" = "%s"\n  }\n  direct {}\n}\n' "$folder" >"$folder/rc"
printf 'terraform {\n  required_providers {\n    sless = { source = "sless/sless" }\n  }\n}\n' >"$folder/main.tf"
# tfplugindocs looks for the provider under this address, whatever registry its own tool has.
(cd "$folder" && TF_CLI_CONFIG_FILE=$folder/rc CHECKPOINT_DISABLE=1 "$terraform" providers schema -json 2>/dev/null) |
  sed -E 's#"registry\.[a-z.]+/sless/sless"#"registry.terraform.io/hashicorp/sless"#' >"$folder/schema.json"

mv docs "$folder/before" 2>/dev/null || true
go tool -modfile=tools/go.mod tfplugindocs generate --provider-name sless --rendered-provider-name sless --providers-schema "$folder/schema.json" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
if [ "${1:-}" = --check ]; then
  diff -r "$folder/before" docs || { echo 'terraform/provider/docs is not current: terraform/docs.sh, and commit what it changes'; exit 1; }
fi
