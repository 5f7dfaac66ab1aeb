{{/*
Whoever writes a job has to have the rights that the job takes: a policy for each set of kinds that the operator runs. The operator is exempt: it
writes jobs on behalf of those who were asked when they wrote theirs, a RayJob's cluster for instance.
*/}}
{{- define "operator-lib.jobPolicy" -}}
{{- if .Values.tenancy.enforceCreatorRights }}
{{- $policies := .Files.Get "files/job-policies.yaml" | fromYaml }}
{{- include "operator-lib.creatorRights" (dict "root" . "end" "creator-rights" "policy" $policies.jobs) }}
{{- if .Values.operator.volcanoJobs }}
{{- include "operator-lib.creatorRights" (dict "root" . "end" "volcano-creator-rights" "policy" $policies.volcanoJobs) }}
{{- end }}
{{- end }}
{{- end }}

{{/* `policy`, named after the release and `end`, in force in the namespaces that the operator watches. */}}
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
