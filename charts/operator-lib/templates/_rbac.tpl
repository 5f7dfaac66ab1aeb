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
