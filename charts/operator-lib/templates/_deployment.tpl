{{- define "operator-lib.deployment" -}}
{{- include "operator-lib.validate" . -}}
{{- $values := .Values -}}
{{- $strategy := $values.updateStrategy | default (dict "type" ($values.leaderElection.enabled | ternary "RollingUpdate" "Recreate")) -}}
apiVersion: apps/v1
kind: Deployment
{{- /* "muster preflight" advises to upgrade an operator by its parent chart. The base path begins with the name of that chart. */}}
{{- $root := .Template.BasePath | splitList "/" | first }}
{{- $parent := .Chart.IsRoot | ternary dict (dict "muster.dev/parent-chart" $root) }}
{{ include "operator-lib.metadata" (dict "root" . "annotations" (merge $parent $values.deploymentAnnotations)) }}
spec:
  replicas: {{ $values.replicaCount }}
  revisionHistoryLimit: {{ $values.revisionHistoryLimit }}
  strategy:
    {{- if eq (toString $strategy.type) "Recreate" }}
    type: Recreate
    {{- else }}
    {{- /* Explicit, so that Helm removes the limits when the type changes. Defaults of the API server would stay, and be rejected with Recreate. */}}
    type: RollingUpdate
    rollingUpdate:
      {{- $rolling := $strategy.rollingUpdate | default dict }}
      {{- range $limit := list "maxSurge" "maxUnavailable" }}
      {{ $limit }}: {{ hasKey $rolling $limit | ternary (get $rolling $limit) "25%" }}
      {{- end }}
    {{- end }}
  selector:
    matchLabels:
      {{- include "operator-lib.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- merge (include "operator-lib.labels" . | fromYaml) $values.podLabels | toYaml | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: operator
        {{- with merge (deepCopy $values.podAnnotations) $values.commonAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "operator-lib.podSpec" . | nindent 6 }}
{{- end }}

{{- define "operator-lib.podSpec" -}}
{{- $values := .Values -}}
serviceAccountName: {{ include "operator-lib.serviceAccountName" . | quote }}
automountServiceAccountToken: true
# Otherwise the kubelet's variables for a Service named muster would be read as flags.
enableServiceLinks: false
# Longer than --shutdown-timeout.
terminationGracePeriodSeconds: {{ add $values.operator.shutdownTimeoutSeconds 10 }}
securityContext:
  {{- toYaml $values.podSecurityContext | nindent 2 }}
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.extraInitContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{- include "operator-lib.container" . | nindent 4 }}
{{- $recording := $values.recording -}}
{{- /* The operator deletes the oldest files before the kubelet evicts the pod. */}}
{{- $emptyDir := dict "emptyDir" (dict "sizeLimit" (printf "%dMi" (div (mul (int $recording.sizeMiB) 5) 4))) -}}
{{- $claim := dict "persistentVolumeClaim" (dict "claimName" $recording.existingClaim) -}}
{{- $runs := merge (dict "name" "runs") (ternary $emptyDir $claim (empty $recording.existingClaim)) -}}
{{- with $recording.enabled | ternary (prepend $values.extraVolumes $runs) $values.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "operator-lib.placement" . }}
{{- end }}

{{- define "operator-lib.container" -}}
{{- $values := .Values -}}
name: operator
image: {{ include "operator-lib.image" . | quote }}
imagePullPolicy: {{ $values.image.pullPolicy }}
args:
  {{- include "operator-lib.args" . | nindent 2 }}
# After an error, the status of the pod contains the last lines of the log.
terminationMessagePolicy: FallbackToLogsOnError
ports:
  - name: http
    containerPort: {{ $values.metrics.port }}
{{- with $values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $probe, $path := dict "startupProbe" "/healthz" "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
{{ $probe }}:
  httpGet:
    path: {{ $path }}
    port: http
  {{- with index $values $probe }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  {{- toYaml $values.containerSecurityContext | nindent 2 }}
{{- /* Releases may share a claim. */}}
{{- $subPath := empty $values.recording.existingClaim | ternary dict (dict "subPath" (include "operator-lib.fullname" .)) -}}
{{- $runs := merge (dict "name" "runs" "mountPath" "/runs") $subPath -}}
{{- with $values.recording.enabled | ternary (prepend $values.extraVolumeMounts $runs) $values.extraVolumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Scheduling and network of the pods. */}}
{{- define "operator-lib.placement" -}}
{{- $values := .Values -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "dnsPolicy" "dnsConfig" "hostNetwork" }}
{{- with index $values $field }}
{{ dict $field . | toYaml }}
{{- end }}
{{- end }}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  {{- $own := dict "labelSelector" (dict "matchLabels" (include "operator-lib.selectorLabels" $ | fromYaml)) }}
  {{- list (hasKey . "labelSelector" | ternary . (merge $own .)) | toYaml | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The operator's flags: those in files/flags.yaml, and those that depend on several values. */}}
{{- define "operator-lib.args" -}}
{{- $values := .Values -}}
{{- range $flag, $path := .Files.Get "files/flags.yaml" | fromYaml }}
{{- $value := $values }}
{{- range splitList "." $path }}
{{- $value = index $value . }}
{{- end }}
{{- if ne (toString $value) "" }}
- {{ printf "--%s=%v" $flag $value | quote }}
{{- end }}
{{- end }}
- --shutdown-timeout={{ $values.operator.shutdownTimeoutSeconds }}s
{{- with include "operator-lib.watchedNamespaces" . }}
- --namespace={{ . }}
{{- end }}
{{- if eq $values.gangScheduling.scheduler "scheduler-plugins" }}
- --gang-scheduler-name={{ $values.gangScheduling.schedulerName }}
{{- else if $values.gangScheduling.scheduler }}
- --gang-scheduler-name={{ $values.gangScheduling.scheduler }}
{{- end }}
{{- with $values.gangScheduling.others }}
- --gang-schedulers={{ join "," . }}
{{- end }}
{{- with $values.recording }}
{{- if .enabled }}
- --record=/runs
- --record-size={{ .sizeMiB }}
- --record-environment={{ .environmentValues }}
{{- end }}
{{- end }}
{{- with $values.operator.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Watched namespaces, separated by commas. Empty for all namespaces. */}}
{{- define "operator-lib.watchedNamespaces" -}}
{{- if eq .Values.watch.scope "own" -}}
{{- include "operator-lib.namespace" . -}}
{{- else if eq .Values.watch.scope "namespaces" -}}
{{- join "," .Values.watch.namespaces -}}
{{- end -}}
{{- end }}
