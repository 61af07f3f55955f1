resource "sless_function" "greeter" {
  name       = "greeter"
  runtime    = "nodejs20"
  source_dir = "${path.module}/greeter"
}

# A URL.
resource "sless_trigger" "http" {
  name     = "greeter-http"
  type     = "http"
  function = sless_function.greeter.name
}

# A schedule.
resource "sless_trigger" "nightly" {
  name      = "greeter-nightly"
  type      = "cron"
  function  = sless_function.greeter.name
  schedule  = "0 3 * * *"
  time_zone = "Europe/Berlin"
  payload   = jsonencode({ name = "night" })
}

# The messages of a queue.
resource "sless_trigger" "orders" {
  name         = "greeter-orders"
  type         = "event"
  function     = sless_function.greeter.name
  queue        = "orders"
  max_attempts = 3
}

output "url" {
  value = sless_trigger.http.url
}
