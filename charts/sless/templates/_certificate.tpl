{{/* A pod that sees to the certificate of the webhooks, as this ServiceAccount. */}}
{{- define "sless.certificatePod" -}}
metadata:
  labels:
    {{- include "sless.labels" (dict "root" .root "role" "certificate") | nindent 4 }}
spec:
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  restartPolicy: OnFailure
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "sless.podSecurity" . | nindent 4 }}
  containers:
    - name: certificate
      image: {{ include "sless.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [certificate]
      # Before the first installation there are no settings to refer to.
      env:
        - {name: SYSTEM_NAMESPACE, value: {{ .root.Release.Namespace }}}
        - {name: CERTIFICATE_ISSUE, value: {{ not .root.Values.tls.certManager.enabled | quote }}}
      resources:
        requests: {cpu: 50m, memory: 96Mi}
        limits: {memory: 256Mi}
      securityContext:
        {{- include "sless.containerSecurity" . | nindent 8 }}
      terminationMessagePolicy: FallbackToLogsOnError
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 16Mi}
  {{- with .root.Values.operator.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.operator.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "sless.certificateSecretRules" -}}
# Creation cannot be narrowed to a name.
- {apiGroups: [""], resources: [secrets], verbs: [create]}
- {apiGroups: [""], resources: [secrets], resourceNames: [sless-operator-tls], verbs: [get, patch]}
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
