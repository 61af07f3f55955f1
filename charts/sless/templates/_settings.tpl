{{/* One environment for all roles: each reads what is its own. */}}
{{- define "sless.settings" -}}
{{- $settings := dict
  "EXTERNAL_URL" (include "sless.externalUrl" .)
  "FN_HOST" .Values.hosts.functions
  "FN_DOMAIN" .Values.hosts.functionsDomain
  "REGISTRY_HOST" .Values.registry.host
  "REGISTRY_INSECURE" (toString .Values.registry.insecure)
  "REGISTRY_CA_FILE" (ternary "/registry/ca.crt" "" (ne .Values.registry.caConfigMap ""))
  "RUNTIME_IMAGE_TEMPLATE" .Values.runtimes.imageTemplate
  "SLESS_IMAGE" (include "sless.image" .)
  "CURL_IMAGE" .Values.images.curl
  "KANIKO_IMAGE" .Values.images.kaniko
  "PUSH_SECRET" .Values.registry.pushSecret
  "PULL_SECRET" .Values.registry.pullSecret
  "BUILD_MODE" .Values.builds.mode
  "BUILD_REQUESTS" (include "sless.amounts" .Values.builds.requests)
  "BUILD_LIMITS" (include "sless.amounts" .Values.builds.limits)
  "FUNCTION_REQUESTS" (include "sless.amounts" .Values.functions.requests)
  "FUNCTION_LIMITS" (include "sless.amounts" .Values.functions.limits)
  "INTERNAL_URL" (printf "http://sless-api.%s.svc:8082" .Release.Namespace)
  "S3_ENDPOINT" .Values.storage.endpoint
  "S3_BUCKET" .Values.storage.bucket
  "S3_REGION" .Values.storage.region
  "OTEL_EXPORTER_OTLP_ENDPOINT" .Values.tracing.endpoint
  "AUTH_MODE" .Values.auth.mode
  "JWKS_URL" .Values.auth.jwksUrl
  "INTROSPECT_URL" .Values.auth.introspectUrl
  "AUTH_ISSUER" .Values.auth.issuer
  "AUTH_AUDIENCE" .Values.auth.audience
  "AUTH_RBAC" (toString .Values.auth.rbac)
  "TENANT_DNS" .Values.tenants.dns
  "TENANT_EGRESS" .Values.tenants.egress
  "TENANT_QUOTA" .Values.tenants.quota
  "TENANT_CONTAINER_MAX" .Values.tenants.containerMax
  "SYSTEM_NAMESPACE" .Release.Namespace
  "OPERATOR_SERVICE" "sless-operator"
  "CERTIFICATE_SECRET" "sless-operator-tls"
  "CERTIFICATE_OWNER" "sless-certificate"
  "CERTIFICATE_ISSUE" (toString (not .Values.tls.certManager.enabled))
  "METACONTROLLER_SERVICE_ACCOUNT" (printf "%s/%s" .Values.metacontroller.namespace .Values.metacontroller.serviceAccount)
-}}
{{- $settings = mergeOverwrite $settings .Values.settings -}}
{{- range $name := keys $settings | sortAlpha }}
{{- $value := toString (get $settings $name) }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
