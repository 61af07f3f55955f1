resource "sless_function" "report" {
  name       = "report"
  runtime    = "python3.11"
  entrypoint = "report.handle"
  source_dir = "${path.module}/report"

  env = {
    FORMAT = "json"
    # A value that is sensitive is shown in no plan.
    API_KEY = var.api_key
  }

  replicas    = 2
  timeout_sec = 30
  resources = {
    requests = { cpu = "50m", memory = "64Mi" }
    limits   = { memory = "256Mi" }
  }
}

variable "api_key" {
  type      = string
  sensitive = true
  default   = "not a real one"
}
