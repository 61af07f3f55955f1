#!/usr/bin/env bash
# What a landing must pass of the Terraform provider: gofmt, go vet, its tests, and the acceptance tests against local mode.
# Argument: a file for the report, in JSON lines as of `go test -json`. What is left out for want of a tool is said aloud.
set -uo pipefail
cd "$(dirname "$0")/provider"
# Building tofu takes minutes, and CI has an end.
tofu_limit=360

if ! command -v go >/dev/null; then
  echo '!!! there is no Go on this machine: the Terraform provider is not verified'
  exit 0
fi

driven() { # prints what the acceptance tests drive
  if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then echo "$TF_ACC_TERRAFORM_PATH"; return; fi
  command -v tofu || command -v terraform || timeout "$tofu_limit" ../build-tofu.sh
}

unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { printf 'gofmt would change:\n%s\n' "$unformatted"; exit 1; }
nice -n 5 go vet ./... || exit 1

if TF_ACC_TERRAFORM_PATH=$(driven); then
  export TF_ACC=1 TF_ACC_TERRAFORM_PATH
  nice -n 5 ../docs.sh --check || exit 1
else
  echo '!!! there is neither tofu nor terraform here, and tofu could not be built: the acceptance tests are left out'
fi
output=$(mktemp)
trap 'rm -f "$output"' EXIT
nice -n 5 go test -v -timeout 15m -parallel 2 ./... >"$output" 2>&1
status=$?
grep -v '^=== ' "$output"
[ -z "${1:-}" ] || go tool test2json <"$output" >"$1"
exit $status
