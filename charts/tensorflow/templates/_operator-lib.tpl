{{/* Generated from charts/operator-lib by "npm run generate": change its templates, not this file. */}}

{{/*
A PrometheusRule from files/alerts.yaml, for the pods of this release. Leaves out alerts that are disabled, and alerts whose
series or limit the values do not provide.
*/}}
{{- define "operator-lib.alerts" -}}
{{- $alerts := .Values.alerts }}
{{- if and $alerts.enabled (not .Values.shadow.enabled) }}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
{{ include "operator-lib.metadata" (dict "root" . "labels" $alerts.labels) }}
spec:
  groups:
    - name: {{ printf "%s.%s" (include "operator-lib.namespace" .) (include "operator-lib.fullname" .) | quote }}
      rules:
        {{- range (.Files.Get "files/alerts.yaml" | fromYaml).alerts }}
        {{- $rule := index $alerts.rules .name }}
        {{- if and $rule.enabled (include "operator-lib.hasWhatAlertNeeds" (dict "root" $ "needs" .needs)) }}
        - alert: {{ .name }}
          expr: {{ include "operator-lib.alertExpression" (dict "root" $ "expr" .expr "threshold" $rule.threshold) | quote }}
          for: {{ $rule.for }}
          labels:
            {{- merge (dict "severity" $rule.severity "framework" $.Chart.Name "namespace" (include "operator-lib.namespace" $)) $alerts.alertLabels | toYaml | nindent 12 }}
          annotations:
            summary: {{ .summary | quote }}
            description: {{ .description | quote }}
            runbook_url: {{ printf "%s/%s.md" (trimSuffix "/" $alerts.runbookUrl) .name | quote }}
        {{- end }}
        {{- end }}
{{- end }}
{{- end }}

{{/* Not empty if the values provide what the alert needs. Parameters: root, needs. */}}
{{- define "operator-lib.hasWhatAlertNeeds" -}}
{{- if eq (toString .needs) "perJob" -}}
{{- if .root.Values.metrics.perJob -}} true {{- end -}}
{{- else if eq (toString .needs) "memoryLimit" -}}
{{- include "operator-lib.memoryLimitBytes" .root -}}
{{- else -}}
true
{{- end -}}
{{- end }}

{{/* Parameters: root, expr, threshold. */}}
{{- define "operator-lib.alertExpression" -}}
{{- $expr := .expr | replace "%{namespace}" (include "operator-lib.namespace" .root) | replace "%{podPattern}" (include "operator-lib.podPattern" .root) -}}
{{- if contains "%{memoryThreshold}" $expr -}}
{{- $expr | replace "%{memoryThreshold}" (mulf (include "operator-lib.memoryLimitBytes" .root | float64) .threshold | floor | printf "%.0f") -}}
{{- else -}}
{{- $expr | replace "%{threshold}" (.threshold | toString) -}}
{{- end -}}
{{- end }}

{{/*
A regular expression for the names of the Deployment's pods: <deployment>-<hash>-<5 characters>. The hash has up to 10 characters. Kubernetes cuts
<deployment>-<hash>- to 58 characters, so the end of the hash is missing if the Deployment's name has more than 46 characters.
*/}}
{{- define "operator-lib.podPattern" -}}
{{- $fullname := include "operator-lib.fullname" . -}}
{{- $name := $fullname | trunc 58 | replace "." "[.]" -}}
{{- $ofHash := sub 57 (len $fullname) | int -}}
{{- $whole := printf "[a-z0-9]{1,%d}-[a-z0-9]{5}" (sub $ofHash 1 | min 10) -}}
{{- $cut := printf "[a-z0-9]{%d}" (add $ofHash 5) -}}
{{- if gt $ofHash 10 -}}
{{ $name }}-{{ $whole }}
{{- else if gt $ofHash 1 -}}
{{ $name }}-({{ $whole }}|{{ $cut }})
{{- else if ge $ofHash 0 -}}
{{ $name }}-{{ $cut }}
{{- else -}}
{{ $name }}[a-z0-9]{5}
{{- end -}}
{{- end }}

{{/* The memory limit of the operator's container in bytes, parsed as by the kubelet. Empty without a limit. */}}
{{- define "operator-lib.memoryLimitBytes" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toString -}}
{{- $decimal := dict "n" 1e-9 "u" 1e-6 "m" 1e-3 "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $binary := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- $units := merge $decimal $binary -}}
{{- $unit := regexFind "[A-Za-z]*$" $limit -}}
{{- if hasKey $units $unit -}}
{{- $bytes := mulf (trimSuffix $unit $limit | float64) (index $units $unit) | ceil -}}
{{- if gt $bytes 0.0 -}}
{{- minf $bytes 9223372036854775807 | printf "%.0f" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "operator-lib.podDisruptionBudget" -}}
{{- $budget := .Values.podDisruptionBudget }}
{{- if $budget.enabled }}
apiVersion: policy/v1
kind: PodDisruptionBudget
{{ include "operator-lib.metadata" (dict "root" .) }}
spec:
  {{- if ne (toString $budget.minAvailable) "" }}
  minAvailable: {{ $budget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ eq (toString $budget.maxUnavailable) "" | ternary 1 $budget.maxUnavailable }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "operator-lib.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}

{{/*
The CRDs are templates, so that helm upgrade changes them. The policy keep prevents helm uninstall, or an upgrade without them, from deleting
them together with every job. Helm reads the policy from the installed object, so a later value could not add it. Labels and annotations are
inserted into the text, because parsing and printing YAML would turn large integers into floats.
*/}}
{{- define "operator-lib.crds" -}}
{{- if and .Values.crds.install (not .Values.shadow.enabled) }}
{{- $annotations := merge (dict "helm.sh/resource-policy" "keep") .Values.commonAnnotations }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $metadata := printf "\nmetadata:\n  labels:\n%s\n" (include "operator-lib.labels" $ | indent 4) }}
{{- $metadata = printf "%s  annotations:\n%s\n" $metadata (toYaml $annotations | indent 4) }}
{{ $.Files.Get $path | replace "\nmetadata:\n" $metadata }}
{{- end }}
{{- end }}
{{- end }}

{{/* A ConfigMap for each dashboard: a single one would be too large for kubectl apply. */}}
{{- define "operator-lib.dashboards" -}}
{{- $dashboards := .Values.dashboards }}
{{- if $dashboards.enabled }}
{{- $namespace := $dashboards.namespace | default (include "operator-lib.namespace" .) }}
{{- $labels := dict $dashboards.label $dashboards.labelValue }}
{{- $annotations := deepCopy $dashboards.annotations }}
{{- if $dashboards.folder }}
{{- $_ := set $annotations $dashboards.folderAnnotation $dashboards.folder }}
{{- end }}
{{- range $path, $_ := .Files.Glob "files/dashboards/*.json" }}
{{- $name := trimSuffix ".json" (base $path) }}
{{- $object := printf "%s-dashboard-%s" (include "operator-lib.fullname" $) $name }}
---
apiVersion: v1
kind: ConfigMap
{{ include "operator-lib.metadata" (dict "root" $ "name" $object "namespace" $namespace "labels" $labels "annotations" $annotations) }}
data:
  {{ printf "muster-%s-%s.json" $.Chart.Name $name }}: |
    {{- $.Files.Get $path | trim | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}

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

{{- define "operator-lib.extraObjects" -}}
{{- range .Values.extraObjects }}
---
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
A creator of a job must have the permissions that the job uses. One policy for each set of kinds that the operator runs. The operator is exempt:
it creates jobs for users who were checked before, such as the RayCluster of a RayJob.
*/}}
{{- define "operator-lib.jobPolicy" -}}
{{- if and .Values.tenancy.enforceCreatorRights (not .Values.shadow.enabled) }}
{{- $policies := .Files.Get "files/job-policies.yaml" | fromYaml }}
{{- include "operator-lib.creatorRights" (dict "root" . "end" "creator-rights" "policy" $policies.jobs) }}
{{- if .Values.operator.volcanoJobs }}
{{- include "operator-lib.creatorRights" (dict "root" . "end" "volcano-creator-rights" "policy" $policies.volcanoJobs) }}
{{- end }}
{{- end }}
{{- end }}

{{/* `policy` with its binding, named after the release and `end`, for the watched namespaces. */}}
{{- define "operator-lib.creatorRights" -}}
{{- $name := printf "%s.%s.%s" (include "operator-lib.namespace" .root) (include "operator-lib.fullname" .root) .end }}
{{- $operator := printf "system:serviceaccount:%s:%s" (include "operator-lib.namespace" .root) (include "operator-lib.serviceAccountName" .root) }}
{{- $exempt := dict "name" "is-of-no-exempt-user" "expression" (printf "!(request.userInfo.username in %s)" (prepend .root.Values.tenancy.exemptUsers $operator | toJson)) }}
{{- $_ := set .policy "matchConditions" (prepend .policy.matchConditions $exempt) }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
{{ include "operator-lib.metadata" (dict "root" .root "name" $name "namespace" "-") }}
spec:
  {{- toYaml .policy | nindent 2 }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
{{ include "operator-lib.metadata" (dict "root" .root "name" $name "namespace" "-") }}
spec:
  policyName: {{ $name | quote }}
  validationActions: [Deny]
  {{- with include "operator-lib.watchedNamespaces" .root }}
  matchResources:
    namespaceSelector:
      matchExpressions:
        - key: kubernetes.io/metadata.name
          operator: In
          values:
            {{- splitList "," . | toYaml | nindent 12 }}
  {{- end }}
{{- end }}

{{- define "operator-lib.service" -}}
{{- if .Values.metrics.service.enabled }}
apiVersion: v1
kind: Service
{{ include "operator-lib.metadata" (dict "root" . "annotations" .Values.metrics.service.annotations) }}
spec:
  selector:
    {{- include "operator-lib.selectorLabels" . | nindent 4 }}
  ports:
    - name: http
      port: {{ .Values.metrics.port }}
      targetPort: http
{{- end }}
{{- end }}

{{/* A ServiceMonitor or PodMonitor. */}}
{{- define "operator-lib.monitor" -}}
{{- $metrics := .Values.metrics }}
{{- range $kind, $endpoints := dict "ServiceMonitor" "endpoints" "PodMonitor" "podMetricsEndpoints" }}
{{- $monitor := index $metrics (untitle $kind) }}
{{- if $monitor.enabled }}
apiVersion: monitoring.coreos.com/v1
kind: {{ $kind }}
{{ include "operator-lib.metadata" (dict "root" $ "labels" $monitor.labels) }}
spec:
  selector:
    matchLabels:
      {{- include "operator-lib.selectorLabels" $ | nindent 6 }}
  namespaceSelector:
    matchNames:
      - {{ include "operator-lib.namespace" $ | quote }}
  {{ $endpoints }}:
    - port: http
      path: /metrics
      honorLabels: {{ $monitor.honorLabels }}
      {{- range $field := list "interval" "scrapeTimeout" "relabelings" "metricRelabelings" }}
      {{- with index $monitor $field }}
      {{- dict $field . | toYaml | nindent 6 }}
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The label app.kubernetes.io/name. It depends only on the framework: NetworkPolicies of RayClusters admit the operator by it. */}}
{{- define "operator-lib.name" -}}
muster-{{ .Chart.Name }}
{{- end }}

{{/* Name of the release's objects: <release>-<chart>, or <release> if it contains the chart's name. */}}
{{- define "operator-lib.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "operator-lib.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end }}

{{/* Name of cluster-scoped objects. Contains the namespace, because two namespaces may have releases of the same name. */}}
{{- define "operator-lib.clusterName" -}}
{{ include "operator-lib.namespace" . }}:{{ include "operator-lib.fullname" . }}
{{- end }}

{{- define "operator-lib.serviceAccountName" -}}
{{- $own := .Values.serviceAccount.create | ternary (include "operator-lib.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $own -}}
{{- end }}

{{/* The operator's image. A digest takes precedence over a tag. */}}
{{- define "operator-lib.image" -}}
{{- $image := .Values.image -}}
{{- $registry := dig "imageRegistry" "" (.Values.global | default dict) | default $image.registry -}}
{{- $repository := empty $registry | ternary $image.repository (printf "%s/%s" $registry $image.repository) -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Selects the operator's pods. Must not change in an upgrade. */}}
{{- define "operator-lib.selectorLabels" -}}
app.kubernetes.io/name: {{ include "operator-lib.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "operator-lib.labels" -}}
{{- $own := include "operator-lib.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/component" "operator" -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "muster" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- merge $own .Values.commonLabels | toYaml -}}
{{- end }}

{{/*
Metadata of an object.
  root         the chart's context
  name         default: the name of the release's objects
  namespace    default: that of the release; "-" for cluster-scoped objects
  labels       additional labels
  annotations  additional annotations
*/}}
{{- define "operator-lib.metadata" -}}
{{- $root := .root -}}
{{- $namespace := .namespace | default (include "operator-lib.namespace" $root) -}}
metadata:
  name: {{ .name | default (include "operator-lib.fullname" $root) | quote }}
  {{- if ne $namespace "-" }}
  namespace: {{ $namespace | quote }}
  {{- end }}
  labels:
    {{- merge (include "operator-lib.labels" $root | fromYaml) (.labels | default dict) | toYaml | nindent 4 }}
  {{- with merge (deepCopy (.annotations | default dict)) $root.Values.commonAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "operator-lib.networkPolicy" -}}
{{- $policy := .Values.networkPolicy }}
{{- if $policy.enabled }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
{{ include "operator-lib.metadata" (dict "root" .) }}
spec:
  podSelector:
    matchLabels:
      {{- include "operator-lib.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports:
        - port: {{ .Values.metrics.port }}
          protocol: TCP
      {{- with $policy.ingressFrom }}
      from:
        {{- toYaml . | nindent 8 }}
        {{- if $.Values.tests.enabled }}
        - podSelector:
            matchLabels:
              {{- include "operator-lib.testLabels" $ | nindent 14 }}
        {{- end }}
      {{- end }}
  egress:
    # DNS
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    # The API server
    - ports:
        {{- range $policy.apiServerPorts }}
        - port: {{ . }}
          protocol: TCP
        {{- end }}
      {{- with $policy.apiServerCIDRs }}
      to:
        {{- range . }}
        - ipBlock:
            cidr: {{ . | quote }}
        {{- end }}
      {{- end }}
    {{- with $policy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}

{{- define "operator-lib.notes" -}}
{{- $namespace := include "operator-lib.namespace" . -}}
{{- $fullname := include "operator-lib.fullname" . -}}
{{- $permissions := .Files.Get "files/permissions.yaml" | fromYaml -}}
{{- $kind := first (first $permissions.viewer).resources -}}
The {{ .Chart.Name }} operator {{ .Chart.AppVersion }} runs in namespace {{ $namespace }} and watches
{{- with include "operator-lib.watchedNamespaces" . }} jobs in {{ . | replace "," ", " }}.
{{- else }} jobs in all namespaces.
{{- end }}

To check whether it is ready:
  kubectl --namespace {{ $namespace }} rollout status deployment/{{ $fullname }}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}
{{- end }}

If it is not ready, to find the cause in its log and in the status of its pods:
{{- $selector := printf "app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s" (include "operator-lib.name" .) .Release.Name }}
  kubectl --namespace {{ $namespace }} logs --selector {{ $selector }} --prefix --tail 5
  kubectl --namespace {{ $namespace }} get pods --selector {{ $selector }} --output jsonpath='{range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\n"}{.lastState.terminated.message}{"\n"}{end}'
{{- if .Values.shadow.enabled }}

It runs in shadow mode: it writes nothing, and the other operator runs the jobs. To compare both:
  muster shadow report
{{- else }}
{{- if .Values.leaderElection.enabled }}

To show the leader, the holder of the Lease (helm uninstall keeps the Lease):
  kubectl --namespace {{ .Values.leaderElection.namespace | default $namespace }} get leases --selector muster.dev/framework
{{- end }}

To run a job and watch it:
  kubectl apply -f job.yaml
  kubectl get {{ $kind }} --watch
{{- if not .Values.crds.install }}

crds.install=false: the CRDs of this version ({{ .Chart.Version }}) or a later one must be installed.
{{- else }}

helm uninstall keeps the CRDs, and therefore all jobs. To delete the CRDs with all their jobs:
  {{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
  {{- $name := splitList "_" (base $path) }}
  kubectl delete crd {{ trimSuffix ".yaml" (last $name) }}.{{ first $name }}
  {{- end }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}

WARNING: leaderElection.enabled=false. Run one replica only, and no second release for the same namespaces.
{{- end }}
{{- end }}
{{- if not .Values.rbac.create }}

rbac.create=false: grant ServiceAccount {{ include "operator-lib.serviceAccountName" . }} the permissions in files/permissions.yaml of this chart.
{{- end }}
{{- end }}

{{/* The operator's ServiceAccount and its permissions: for jobs in each watched namespace, for its Lease, and for nodes if enabled. */}}
{{- define "operator-lib.rbac" -}}
{{- if .Values.serviceAccount.create }}
---
apiVersion: v1
kind: ServiceAccount
{{ include "operator-lib.metadata" (dict "root" . "name" (include "operator-lib.serviceAccountName" .) "annotations" .Values.serviceAccount.annotations) }}
{{- end }}
{{- if .Values.rbac.create }}
{{- $permissions := .Files.Get "files/permissions.yaml" | fromYaml }}
{{- $gang := index $permissions.gang .Values.gangScheduling.scheduler | default list }}
{{- range .Values.gangScheduling.others }}
{{- $gang = index $permissions.gang (hasKey $permissions.gang . | ternary . "scheduler-plugins") | concat $gang | uniq }}
{{- end }}
{{- $network := list "" "None" | has (.Values.tenancy.jobNetworkPolicy | default "") | ternary list $permissions.networkPolicies }}
{{- $kueue := eq .Values.operator.kueue "Own" | ternary $permissions.kueue list }}
{{- $volcano := .Values.operator.volcanoJobs | default false | ternary $permissions.volcanoJobs list }}
{{- $jobs := concat $permissions.jobs $gang $network $kueue $volcano }}
{{- if .Values.shadow.enabled }}
{{- $jobs = (include "operator-lib.readRules" $jobs | fromYaml).rules }}
{{- end }}
{{- $jobs = concat $jobs .Values.rbac.extraRules }}
{{- $clusterName := include "operator-lib.clusterName" . }}
{{- $fullname := include "operator-lib.fullname" . }}
{{- if eq .Values.watch.scope "cluster" }}
{{- include "operator-lib.grant" (dict "root" . "name" $clusterName "namespace" "-" "rules" $jobs) }}
{{- else }}
{{- range splitList "," (include "operator-lib.watchedNamespaces" .) }}
{{- include "operator-lib.grant" (dict "root" $ "name" $fullname "namespace" . "rules" $jobs) }}
{{- end }}
{{- end }}
{{- if eq .Values.operator.kueue "Own" }}
{{- include "operator-lib.grant" (dict "root" . "name" (printf "%s:kueue" $clusterName) "namespace" "-" "rules" $permissions.kueueCluster) }}
{{- end }}
{{- if .Values.operator.forceDeletePodsOnLostNodes }}
{{- include "operator-lib.grant" (dict "root" . "name" (printf "%s:nodes" $clusterName) "namespace" "-" "rules" $permissions.nodes) }}
{{- end }}
{{- if and .Values.leaderElection.enabled (not .Values.shadow.enabled) }}
{{- $leaseNamespace := .Values.leaderElection.namespace | default (include "operator-lib.namespace" .) }}
{{- include "operator-lib.grant" (dict "root" . "name" (printf "%s-lease" $fullname) "namespace" $leaseNamespace "rules" $permissions.lease) }}
{{- if .Values.rbac.findOtherOperators }}
{{- include "operator-lib.grant" (dict "root" . "name" (printf "%s:leases" $clusterName) "namespace" "-" "rules" $permissions.otherLeases) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* What of a list of rules is needed to watch, for shadow mode: no writes, and nothing that is read by name only, such as Secrets. */}}
{{- define "operator-lib.readRules" -}}
rules:
{{- range . }}
{{- if has "watch" .verbs }}
{{- $verbs := list }}
{{- range .verbs }}
{{- if has . (list "get" "list" "watch") }}
{{- $verbs = append $verbs . }}
{{- end }}
{{- end }}
  - {{ toYaml (merge (dict "verbs" $verbs) .) | nindent 4 | trim }}
{{- end }}
{{- end }}
{{- end }}

{{/* A role with `rules`, bound to the operator's ServiceAccount: in `namespace`, or cluster-wide with "-". */}}
{{- define "operator-lib.grant" -}}
{{- $scope := eq .namespace "-" | ternary "Cluster" "" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $scope }}Role
{{ include "operator-lib.metadata" . }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $scope }}RoleBinding
{{ include "operator-lib.metadata" . }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $scope }}Role
  name: {{ .name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "operator-lib.serviceAccountName" .root | quote }}
    namespace: {{ include "operator-lib.namespace" .root | quote }}
{{- end }}

{{/* Permissions of users for this framework's kinds, aggregated to the default roles of Kubernetes. */}}
{{- define "operator-lib.peopleRoles" -}}
{{- if and .Values.rbac.create .Values.rbac.aggregateToDefaultRoles (not .Values.shadow.enabled) }}
{{- $permissions := .Files.Get "files/permissions.yaml" | fromYaml }}
{{- range $role, $defaultRoles := dict "viewer" (list "view") "editor" (list "edit" "admin") }}
{{- $labels := dict }}
{{- range $defaultRoles }}
{{- $_ := set $labels (printf "rbac.authorization.k8s.io/aggregate-to-%s" .) "true" }}
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
{{ include "operator-lib.metadata" (dict "root" $ "name" (printf "%s:%s" (include "operator-lib.clusterName" $) $role) "namespace" "-" "labels" $labels) }}
rules:
  {{- $volcano := $.Values.operator.volcanoJobs | default false | ternary (index $permissions.volcanoPeople $role) list }}
  {{- concat (index $permissions $role) $volcano | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Different from the operator's labels: the selectors of Service and Deployment must not match the pod of the test. */}}
{{- define "operator-lib.testLabels" -}}
app.kubernetes.io/name: {{ include "operator-lib.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* Metadata of a hook of helm test. Helm deletes the objects, and prints the log of the pod if it fails. Parameters: root, weight. */}}
{{- define "operator-lib.testMetadata" -}}
metadata:
  name: {{ printf "%s-ready" (include "operator-lib.fullname" .root | trunc 57) | quote }}
  namespace: {{ include "operator-lib.namespace" .root | quote }}
  labels:
    {{- merge (include "operator-lib.testLabels" .root | fromYaml) .root.Values.commonLabels | toYaml | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
    helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{/*
helm test: requests /readyz of the operator. The operator is ready if its CRDs are served, its permissions are granted and its caches are filled.
If it is not ready, the test prints the reasons, and the termination messages of its pods. The test uses the operator's image, so that no other
image is pulled.
*/}}
{{- define "operator-lib.test" -}}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
{{- $name := printf "%s-ready" (include "operator-lib.fullname" . | trunc 57) }}
{{- if .Values.rbac.create }}
---
apiVersion: v1
kind: ServiceAccount
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
rules:
  - apiGroups: [""]
    resources: [pods]
    verbs: [list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ $name | quote }}
    namespace: {{ include "operator-lib.namespace" . | quote }}
{{- end }}
---
apiVersion: v1
kind: Pod
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 1) }}
spec:
  restartPolicy: Never
  {{- if .Values.rbac.create }}
  serviceAccountName: {{ $name | quote }}
  {{- end }}
  automountServiceAccountToken: {{ .Values.rbac.create }}
  enableServiceLinks: false
  activeDeadlineSeconds: 90
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: ready
      image: {{ include "operator-lib.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      {{- if .Values.rbac.create }}
      env:
        - name: NODE_EXTRA_CA_CERTS
          value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
      {{- end }}
      command: [node, --input-type=module, --eval]
      args:
        - |
          import { readFileSync } from 'node:fs';
          const namespace = '{{ include "operator-lib.namespace" . }}';
          const selector = 'app.kubernetes.io/name={{ include "operator-lib.name" . }},app.kubernetes.io/instance={{ .Release.Name }}';
          const service = 'http://{{ include "operator-lib.fullname" . }}:{{ .Values.metrics.port }}/readyz';
          const api = 'https://kubernetes.default.svc';
          const account = '/var/run/secrets/kubernetes.io/serviceaccount';
          const endMs = Date.now() + 60_000;
          // A pod stays in these states until its cause is removed.
          const stuck = ['CrashLoopBackOff', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError'];
          const get = async (url, headers = {}) => {
            try {
              const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
              return { ok: response.ok, status: response.status, text: await response.text() };
            } catch (error) {
              return { ok: false, status: '', text: String(error.cause ?? error) };
            }
          };
          const readPods = async () => {
            let token;
            try {
              token = readFileSync(`${account}/token`, 'utf8');
            } catch {
              return [];
            }
            const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
            const { ok, text } = await get(api + path, { authorization: `Bearer ${token}` });
            return ok ? JSON.parse(text).items : [];
          };
          // /readyz reports problems by concern.
          const problemsIn = (text) => {
            try {
              return Object.values(JSON.parse(text).error).flatMap((concern) => concern.problems ?? JSON.stringify(concern));
            } catch {
              return [text];
            }
          };
          const statesOf = (pod) => pod.status?.containerStatuses ?? [];
          const report = async (pods) => {
            for (const pod of pods) {
              console.log(`Pod ${pod.metadata.name}: ${pod.status?.phase}`);
              const unmet = (pod.status?.conditions ?? []).filter(({ message, status }) => status === 'False' && message);
              for (const message of new Set(unmet.map((each) => each.message))) console.log(`  ${message}`);
              for (const { name, state, lastState, restartCount } of statesOf(pod)) {
                if (state?.waiting) console.log(`  container ${name} is waiting: ${state.waiting.reason}: ${state.waiting.message ?? ''}`);
                const ended = state?.terminated ?? lastState?.terminated;
                if (ended) {
                  console.log(`  container ${name} ended with exit code ${ended.exitCode} (${ended.reason}), ${restartCount} restarts. Termination message:`);
                  console.log(String(ended.message ?? '').trimEnd().replace(/^/gm, '    '));
                }
                if (state?.running && pod.status?.podIP) {
                  const host = pod.status.podIP.includes(':') ? `[${pod.status.podIP}]` : pod.status.podIP;
                  const { status, text } = await get(`http://${host}:{{ .Values.metrics.port }}/readyz`);
                  for (const line of problemsIn(text)) console.log(`  /readyz ${status}: ${line}`);
                }
              }
            }
            console.log(`The operator is not ready. Read its log: kubectl --namespace ${namespace} logs --selector ${selector} --prefix`);
          };
          let lastLine = '';
          // A Service has no endpoints for a moment after its pods are ready.
          for (;;) {
            const { ok, status, text } = await get(service);
            if (lastLine !== `${status} ${text}`) console.log(service, status, text);
            lastLine = `${status} ${text}`;
            if (ok) break;
            const pods = await readPods();
            const isStuck = pods.length > 0 && pods.every((pod) => statesOf(pod).some(({ state }) => stuck.includes(state?.waiting?.reason)));
            if (isStuck || Date.now() > endMs) {
              await report(pods);
              process.exit(1);
            }
            await new Promise((resolve) => setTimeout(resolve, 1000));
          }
      resources:
        requests: { cpu: 10m, memory: 64Mi }
        limits: { memory: 128Mi }
      securityContext:
        {{- toYaml .Values.containerSecurityContext | nindent 8 }}
{{- end }}
{{- end }}

{{/* Rejects combinations of values that the schema cannot reject. */}}
{{- define "operator-lib.validate" -}}
{{- $values := .Values -}}
{{- if not $values.image.repository -}}
{{- fail (printf "image.repository is required, because Muster publishes no images yet: build one with \"npm run images -- operator %s\" in a clone of Muster, push it to a registry that your cluster pulls from, and set image.repository to its name there." .Chart.Name) -}}
{{- end -}}
{{- if and (gt (int $values.replicaCount) 1) (not $values.leaderElection.enabled) -}}
{{- fail "replicaCount: more than one replica needs leaderElection.enabled=true; otherwise every replica would reconcile every job." -}}
{{- end -}}
{{- if and $values.shadow.enabled (gt (int $values.replicaCount) 1) -}}
{{- fail "replicaCount: shadow.enabled needs one replica, because each would compare every job on its own." -}}
{{- end -}}
{{- if and $values.shadow.enabled $values.recording.enabled -}}
{{- fail "recording.enabled has no effect with shadow.enabled: no reconcile run of an operator in shadow mode is recorded." -}}
{{- end -}}
{{- if and (eq $values.watch.scope "namespaces") (empty $values.watch.namespaces) -}}
{{- fail "watch.namespaces is empty: list the namespaces, or set watch.scope to cluster or own." -}}
{{- end -}}
{{- if and (ne $values.watch.scope "namespaces") $values.watch.namespaces -}}
{{- fail (printf "watch.namespaces is ignored with watch.scope=%s: set watch.scope=namespaces, or remove the list." $values.watch.scope) -}}
{{- end -}}
{{- if and (eq $values.gangScheduling.scheduler "scheduler-plugins") (empty $values.gangScheduling.schedulerName) -}}
{{- fail "gangScheduling.schedulerName is empty: set the name of the scheduler that has the plugin Coscheduling." -}}
{{- end -}}
{{- $election := $values.leaderElection -}}
{{- $lease := include "operator-lib.milliseconds" $election.leaseDuration | float64 -}}
{{- $renew := include "operator-lib.milliseconds" $election.renewDeadline | float64 -}}
{{- $retry := include "operator-lib.milliseconds" $election.retryPeriod | float64 -}}
{{- if le $lease $renew -}}
{{- fail (printf "leaderElection.leaseDuration (%s) must be longer than leaderElection.renewDeadline (%s), so that a leader gives up before another one takes over." $election.leaseDuration $election.renewDeadline) -}}
{{- end -}}
{{- if le $renew (mulf 1.2 $retry) -}}
{{- fail (printf "leaderElection.renewDeadline (%s) must be more than 1.2 times leaderElection.retryPeriod (%s), so that a leader can retry." $election.renewDeadline $election.retryPeriod) -}}
{{- end -}}
{{- $flags := concat (.Files.Get "files/flags.yaml" | fromYaml | keys) (.Files.Get "files/other-flags.yaml" | fromYamlArray) -}}
{{- range $values.operator.extraArgs -}}
{{- $flag := regexFind "^--?[^=]*" . -}}
{{- if and $flag (not (has (trimPrefix "--" $flag) $flags)) -}}
{{- fail (printf "operator.extraArgs: the operator has no flag %s. Its flags: --%s." $flag (sortAlpha $flags | join ", --")) -}}
{{- end -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if and (ne (toString $budget.minAvailable) "") (ne (toString $budget.maxUnavailable) "") -}}
{{- fail "podDisruptionBudget: set minAvailable or maxUnavailable, not both." -}}
{{- end -}}
{{- if and $budget.enabled (gt (int $values.replicaCount) 0) -}}
{{- $replicas := int $values.replicaCount -}}
{{- if has (toString $budget.maxUnavailable) (list "0" "0%") -}}
{{- fail "podDisruptionBudget.maxUnavailable=0 blocks every eviction of the operator's pods, so a drain of their node never ends: set 1 or more." -}}
{{- end -}}
{{- if ge (include "operator-lib.minAvailable" . | int) $replicas -}}
{{- fail (printf "podDisruptionBudget.minAvailable=%v with replicaCount=%d blocks every eviction of the operator's pods, so a drain of their node never ends: set a smaller value, or more replicas." $budget.minAvailable $replicas) -}}
{{- end -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled (not $values.metrics.service.enabled) -}}
{{- fail "metrics.serviceMonitor needs metrics.service.enabled=true. metrics.podMonitor needs no Service." -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled $values.metrics.podMonitor.enabled -}}
{{- fail "metrics: enable serviceMonitor or podMonitor, not both; otherwise every metric is scraped twice." -}}
{{- end -}}
{{- end }}

{{/* Converts a duration in the format of Go to milliseconds. */}}
{{- define "operator-lib.milliseconds" -}}
{{- $left := . -}}
{{- $total := 0.0 -}}
{{- range list (dict "unit" "ms" "size" 1.0) (dict "unit" "s" "size" 1000.0) (dict "unit" "m" "size" 60000.0) (dict "unit" "h" "size" 3600000.0) -}}
{{- $part := regexFind (printf "[0-9.]+%s$" .unit) $left -}}
{{- $left = trimSuffix $part $left -}}
{{- $total = addf $total (mulf .size (trimSuffix .unit $part | float64)) -}}
{{- end -}}
{{- $total -}}
{{- end }}

{{/* podDisruptionBudget.minAvailable as a number of pods: a percentage is rounded up, as in Kubernetes. -1 if not set. */}}
{{- define "operator-lib.minAvailable" -}}
{{- $least := toString .Values.podDisruptionBudget.minAvailable -}}
{{- if eq $least "" -}}
-1
{{- else if hasSuffix "%" $least -}}
{{- divf (mulf (trimSuffix "%" $least | float64) (.Values.replicaCount | float64)) 100 | ceil | int -}}
{{- else -}}
{{- $least -}}
{{- end -}}
{{- end }}
