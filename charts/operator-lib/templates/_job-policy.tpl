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
