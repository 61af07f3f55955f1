{{/*
What this chart says of settings: by the name of each a list of two, the value of the chart that it comes from (empty where it is fixed) and
what it is. Other objects of the chart follow the same values, so none of these names may stand in .Values.settings.
*/}}
{{- define "sless.derivedSettings" -}}
{{- dict
  "EXTERNAL_URL" (list "externalUrl" (include "sless.externalUrl" .))
  "FN_HOST" (list "hosts.functions" .Values.hosts.functions)
  "FN_URL" (list "functionsUrl" .Values.functionsUrl)
  "FN_DOMAIN" (list "hosts.functionsDomain" .Values.hosts.functionsDomain)
  "REGISTRY_HOST" (list "registry.host" .Values.registry.host)
  "REGISTRY_INSECURE" (list "registry.insecure" (toString .Values.registry.insecure))
  "REGISTRY_CA_FILE" (list "registry.caConfigMap" (ternary "/registry/ca.crt" "" (ne .Values.registry.caConfigMap "")))
  "RUNTIME_IMAGE_TEMPLATE" (list "runtimes.imageTemplate" .Values.runtimes.imageTemplate)
  "SLESS_IMAGE" (list "image" (include "sless.image" .))
  "CURL_IMAGE" (list "images.curl" .Values.images.curl)
  "KANIKO_IMAGE" (list "images.kaniko" .Values.images.kaniko)
  "PUSH_SECRET" (list "registry.pushSecret" .Values.registry.pushSecret)
  "PULL_SECRET" (list "registry.pullSecret" .Values.registry.pullSecret)
  "BUILD_MODE" (list "builds.mode" .Values.builds.mode)
  "BUILD_REQUESTS" (list "builds.requests" (include "sless.amounts" .Values.builds.requests))
  "BUILD_LIMITS" (list "builds.limits" (include "sless.amounts" .Values.builds.limits))
  "FUNCTION_REQUESTS" (list "functions.requests" (include "sless.amounts" .Values.functions.requests))
  "FUNCTION_LIMITS" (list "functions.limits" (include "sless.amounts" .Values.functions.limits))
  "INTERNAL_URL" (list "" (printf "http://sless-api.%s.svc:8082" .Release.Namespace))
  "S3_ENDPOINT" (list "storage.endpoint" .Values.storage.endpoint)
  "S3_BUCKET" (list "storage.bucket" .Values.storage.bucket)
  "S3_REGION" (list "storage.region" .Values.storage.region)
  "OTEL_EXPORTER_OTLP_ENDPOINT" (list "tracing.endpoint" .Values.tracing.endpoint)
  "AUTH_MODE" (list "auth.mode" .Values.auth.mode)
  "JWKS_URL" (list "auth.jwksUrl" .Values.auth.jwksUrl)
  "INTROSPECT_URL" (list "auth.introspectUrl" .Values.auth.introspectUrl)
  "AUTH_ISSUER" (list "auth.issuer" .Values.auth.issuer)
  "AUTH_AUDIENCE" (list "auth.audience" .Values.auth.audience)
  "AUTH_RBAC" (list "auth.rbac" (toString .Values.auth.rbac))
  "OIDC_ISSUER" (list "console.oidc.issuer" .Values.console.oidc.issuer)
  "OIDC_CLIENT_ID" (list "console.oidc.clientId" .Values.console.oidc.clientId)
  "OIDC_SCOPE" (list "console.oidc.scope" .Values.console.oidc.scope)
  "OIDC_TOKEN" (list "console.oidc.token" .Values.console.oidc.token)
  "FN_INTERNAL_URL" (list "" (printf "http://sless-proxy.%s.svc:8080" .Release.Namespace))
  "TENANT_DNS" (list "tenants.dns" .Values.tenants.dns)
  "TENANT_EGRESS" (list "tenants.egress" .Values.tenants.egress)
  "TENANT_QUOTA" (list "tenants.quota" .Values.tenants.quota)
  "TENANT_CONTAINER_MAX" (list "tenants.containerMax" .Values.tenants.containerMax)
  "SYSTEM_NAMESPACE" (list "" .Release.Namespace)
  "OPERATOR_SERVICE" (list "" "sless-operator")
  "CERTIFICATE_SECRET" (list "" (include "sless.certificateSecret" .))
  "CERTIFICATE_OWNER" (list "" "sless-certificate")
  "CERTIFICATE_ISSUE" (list "tls.certManager.enabled" (toString (not .Values.tls.certManager.enabled)))
  "METACONTROLLER_SERVICE_ACCOUNT" (list "metacontroller" (printf "%s/%s" .Values.metacontroller.namespace .Values.metacontroller.serviceAccount))
| toYaml }}
{{- end }}

{{/* One environment for all roles: each reads what is its own. */}}
{{- define "sless.settings" -}}
{{- $settings := deepCopy .Values.settings }}
{{- range $name, $derived := include "sless.derivedSettings" . | fromYaml }}
{{- $_ := set $settings $name (index $derived 1) }}
{{- end }}
{{- range $name := keys $settings | sortAlpha }}
{{- $value := toString (get $settings $name) }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
