resource "sless_function" "greeter" {
  name       = "greeter"
  runtime    = "nodejs20"
  source_dir = "${path.module}/greeter"
}

data "sless_invocations" "failed" {
  function = sless_function.greeter.name
  outcome  = "failed"
  limit    = 20
}

output "failures" {
  value = [for call in data.sless_invocations.failed.items : "${call.started_at} ${call.reason}"]
}
