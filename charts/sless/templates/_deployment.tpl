{{/*
The Deployment of a role. Takes root, role, ports (a list of {name, port}), probe (port and scheme), and where a role has them env,
volumeMounts, volumes, temporaryStorage, token (whether it speaks to the API server).
*/}}
{{- define "sless.deployment" -}}
{{- $values := get .root.Values .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: sless-{{ .role }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sless.labels" . | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  selector:
    matchLabels:
      {{- include "sless.selectorLabels" . | nindent 6 }}
  # A new pod takes calls before an old one ends.
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  template:
    metadata:
      labels:
        {{- include "sless.labels" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # Settings are read at the start.
        sless.dev/settings: {{ include "sless.settings" .root | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: sless-{{ .role }}
      automountServiceAccountToken: {{ .token | default false }}
      enableServiceLinks: false
      {{- with include "sless.imagePullSecrets" .root }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        {{- include "sless.podSecurity" . | nindent 8 }}
      # The process itself goes on serving until the word of its end has reached every node (DRAIN_DELAY), and has ended 28 s
      # after it was told to.
      terminationGracePeriodSeconds: 30
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "sless.selectorLabels" . | nindent 14 }}
      containers:
        - name: {{ .role }}
          image: {{ include "sless.image" .root }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [{{ .role }}]
          envFrom:
            - configMapRef: {name: sless-settings}
            {{- with $values.envFrom }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- $env := .env | default list }}
          {{- if and .root.Values.invocations.databaseSecret (has .role (list "api" "proxy" "dispatcher")) }}
          {{- $from := dict "secretKeyRef" (dict "name" .root.Values.invocations.databaseSecret "key" "url") }}
          {{- $env = append $env (dict "name" "DATABASE_URL" "valueFrom" $from) }}
          {{- end }}
          {{- with $env }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- range .ports }}
            - {name: {{ .name }}, containerPort: {{ .port }}}
            {{- end }}
            - {name: metrics, containerPort: 9090}
          startupProbe:
            httpGet: {path: /healthz, port: {{ .probe.port }}, scheme: {{ .probe.scheme }}}
            periodSeconds: 1
            timeoutSeconds: 5
            failureThreshold: 120
          readinessProbe:
            httpGet: {path: /readyz, port: {{ .probe.port }}, scheme: {{ .probe.scheme }}}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 3
          livenessProbe:
            httpGet: {path: /healthz, port: {{ .probe.port }}, scheme: {{ .probe.scheme }}}
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 6
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "sless.containerSecurity" . | nindent 12 }}
          terminationMessagePolicy: FallbackToLogsOnError
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            {{- with .volumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: {sizeLimit: {{ .temporaryStorage | default "64Mi" }}}
        {{- with .volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: sless-{{ .role }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sless.labels" . | nindent 4 }}
spec:
  selector:
    {{- include "sless.selectorLabels" . | nindent 4 }}
  ports:
    {{- range .ports }}
    - {name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }}}
    {{- end }}
    - {name: metrics, port: 9090, targetPort: metrics}
{{- end }}
