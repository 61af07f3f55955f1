{{/*
Names are fixed: the CRDs and the controllers belong to the whole cluster, so there is one installation in it, whatever
the release is called.
*/}}
{{- define "sless.version" -}}v{{ .Chart.AppVersion }}{{- end }}

{{- define "sless.labels" -}}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: sless
{{ include "sless.selectorLabels" . }}
{{- end }}

{{- define "sless.selectorLabels" -}}
app.kubernetes.io/name: sless
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "sless.image" -}}
{{- $registry := .Values.image.registry | default .Values.registry.host -}}
{{- if .Values.image.digest -}}
{{ $registry }}/{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag | default (include "sless.version" .) }}
{{- end -}}
{{- end }}

{{/*
With what nodes pull the image of sless, as the item imagePullSecrets of a pod: it lies in the same registry as the images of functions,
unless image.registry says otherwise. A login for another registry is not shown to that one, and one that is not there does no harm.
*/}}
{{- define "sless.imagePullSecrets" -}}
{{- with append .Values.imagePullSecrets .Values.registry.pullSecret | compact | uniq -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "sless.externalUrl" -}}
{{- .Values.externalUrl | default (printf "https://%s" .Values.hosts.api) -}}
{{- end }}

{{/* cpu=50m,memory=64Mi */}}
{{- define "sless.amounts" -}}
{{- $amounts := list -}}
{{- range $name := keys . | sortAlpha -}}
{{- $amounts = append $amounts (printf "%s=%s" $name (toString (get $ $name))) -}}
{{- end -}}
{{- join "," $amounts -}}
{{- end }}

{{/* The Secret with the keys of the object store; empty where there is none. */}}
{{- define "sless.storageSecret" -}}
{{- if .Values.storage.existingSecret -}}
{{ .Values.storage.existingSecret }}
{{- else if .Values.storage.accessKey -}}
sless-storage
{{- end -}}
{{- end }}

{{/*
The Secret of the webhooks' certificate. One of cert-manager has a name of its own: found under the other one, what sless itself has made
would be taken for it, and nobody would trust what follows.
*/}}
{{- define "sless.certificateSecret" -}}
{{ ternary "sless-operator-cert-manager" "sless-operator-tls" .Values.tls.certManager.enabled }}
{{- end }}

{{- define "sless.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "sless.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
