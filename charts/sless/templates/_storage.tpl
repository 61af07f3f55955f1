{{/* What a container needs to read the keys of the object store, and the registry's login and CA, from files: env, volumeMounts, volumes. */}}
{{- define "sless.stores" -}}
{{- $env := list }}
{{- $mounts := list }}
{{- $volumes := list }}
{{- with include "sless.storageSecret" .root }}
{{- $env = concat $env (list
  (dict "name" "S3_ACCESS_KEY_FILE" "value" "/storage/accessKey")
  (dict "name" "S3_SECRET_KEY_FILE" "value" "/storage/secretKey")) }}
{{- $mounts = append $mounts (dict "name" "storage" "mountPath" "/storage" "readOnly" true) }}
{{- $volumes = append $volumes (dict "name" "storage" "secret" (dict "secretName" .)) }}
{{- end }}
{{- with .login }}
{{- $env = append $env (dict "name" "REGISTRY_AUTH_FILE" "value" "/login/.dockerconfigjson") }}
{{- $mounts = append $mounts (dict "name" "login" "mountPath" "/login" "readOnly" true) }}
{{- $volumes = append $volumes (dict "name" "login" "secret" (dict "secretName" .)) }}
{{- end }}
{{- with .root.Values.registry.caConfigMap }}
{{- $mounts = append $mounts (dict "name" "registry" "mountPath" "/registry" "readOnly" true) }}
{{- $volumes = append $volumes (dict "name" "registry" "configMap" (dict "name" .)) }}
{{- end }}
{{- dict "env" $env "volumeMounts" $mounts "volumes" $volumes | toYaml }}
{{- end }}

{{/*
A pod that does one thing and ends. Takes root, role, args, account, and where they are wanted settings (whether), envFrom beside them,
stores (see above), env (a list), restartPolicy.
*/}}
{{- define "sless.task" -}}
{{- $stores := .stores | default dict -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: true
enableServiceLinks: false
restartPolicy: {{ .restartPolicy | default "OnFailure" }}
{{- with include "sless.imagePullSecrets" .root }}
{{ . }}
{{- end }}
securityContext:
  {{- include "sless.podSecurity" . | nindent 2 }}
containers:
  - name: {{ .role }}
    image: {{ include "sless.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: {{ .args | toJson }}
    {{- if .settings }}
    envFrom:
      - configMapRef: { name: sless-settings }
      {{- with .envFrom }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
    {{- with concat (.env | default list) ($stores.env | default list) }}
    env:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    resources:
      {{- toYaml (.resources | default (dict "requests" (dict "cpu" "50m" "memory" "96Mi") "limits" (dict "memory" "256Mi"))) | nindent 6 }}
    securityContext:
      {{- include "sless.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      {{- with $stores.volumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 16Mi }
  {{- with $stores.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.operator.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.operator.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
