resource "sless_function" "greeter" {
  name       = "greeter"
  runtime    = "nodejs20"
  source_dir = "${path.module}/greeter"
}

data "sless_function" "greeter" {
  name = sless_function.greeter.name
}

output "state" {
  value = "${data.sless_function.greeter.phase}: ${data.sless_function.greeter.message}"
}
