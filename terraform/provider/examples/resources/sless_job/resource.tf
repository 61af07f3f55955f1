resource "sless_function" "migrate" {
  name       = "migrate"
  runtime    = "nodejs20"
  source_dir = "${path.module}/greeter"
}

resource "sless_job" "to_seven" {
  name       = "to-seven"
  function   = sless_function.migrate.name
  event_json = jsonencode({ name = "seven" })

  # Raise it to run again; 0 runs nothing.
  run_id           = 1
  wait_timeout_sec = 120
}

output "result" {
  value = jsondecode(sless_job.to_seven.result)
}
