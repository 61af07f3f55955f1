terraform {
  required_providers {
    sless = {
      source = "sless/sless"
    }
  }
}

# SLESS_ENDPOINT and SLESS_API_TOKEN say where the api is and who asks.
provider "sless" {}

resource "sless_function" "greeter" {
  name       = "greeter"
  runtime    = "nodejs20"
  source_dir = "${path.module}/greeter"
  env = {
    GREETING = "Hello"
  }
}

resource "sless_trigger" "http" {
  name     = "greeter-http"
  type     = "http"
  function = sless_function.greeter.name
}

resource "sless_trigger" "nightly" {
  name      = "greeter-nightly"
  type      = "cron"
  function  = sless_function.greeter.name
  schedule  = "0 3 * * *"
  time_zone = "Europe/Berlin"
  payload   = jsonencode({ name = "night" })
}

resource "sless_trigger" "orders" {
  name     = "greeter-orders"
  type     = "event"
  function = sless_function.greeter.name
  queue    = "orders"
  prefetch = 5
}

resource "sless_job" "first_greeting" {
  name       = "first-greeting"
  function   = sless_function.greeter.name
  event_json = jsonencode({ name = "Ada" })
  run_id     = 1
}

output "url" {
  value = sless_trigger.http.url
}

output "first_greeting" {
  value = jsondecode(sless_job.first_greeting.result).message
}
