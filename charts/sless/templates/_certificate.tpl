{{/* A pod that sees to the certificate of the webhooks, as this ServiceAccount. */}}
{{- define "sless.certificatePod" -}}
metadata:
  labels:
    {{- include "sless.labels" (dict "root" .root "role" "certificate") | nindent 4 }}
spec:
  {{- /* Before the first installation there are no settings to refer to. */}}
  {{- $env := list
    (dict "name" "SYSTEM_NAMESPACE" "value" .root.Release.Namespace)
    (dict "name" "CERTIFICATE_SECRET" "value" (include "sless.certificateSecret" .root))
    (dict "name" "CERTIFICATE_ISSUE" "value" (toString (not .root.Values.tls.certManager.enabled))) }}
  {{- include "sless.task" (dict "root" .root "role" "certificate" "args" .args "account" .account "env" $env) | nindent 2 }}
{{- end }}

{{- define "sless.certificateSecretRules" -}}
{{- $issue := not .root.Values.tls.certManager.enabled }}
{{- if $issue }}
# Creation cannot be narrowed to a name.
- {apiGroups: [""], resources: [secrets], verbs: [create]}
{{- end }}
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [{{ include "sless.certificateSecret" .root }}]
  {{- /* An owner can be named only by who may delete what is owned. Before an installation there is no owner yet. */}}
  verbs: {{ ternary "[get, patch, delete]" "[get]" (and $issue (not .early)) }}
# Whether the owner is this installation, or one that is gone.
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [sless-certificate], verbs: [get]}
{{- end }}

{{- define "sless.certificateBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sless.labels" (dict "root" .root "role" "certificate") | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .name }}}
subjects:
  - {kind: ServiceAccount, name: {{ .name }}, namespace: {{ .root.Release.Namespace }}}
{{- end }}
