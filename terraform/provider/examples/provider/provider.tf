terraform {
  required_providers {
    sless = {
      source = "sless/sless"
    }
  }
}

# Without arguments: SLESS_ENDPOINT and SLESS_API_TOKEN.
provider "sless" {
  endpoint = var.sless_endpoint
  token    = var.sless_token
}

variable "sless_endpoint" {
  type = string
}

variable "sless_token" {
  type      = string
  sensitive = true
}
