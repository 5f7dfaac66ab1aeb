{{/*
Whoever writes a job has to have the rights that the job takes. The operator is exempt: it writes jobs on behalf of those
who were asked when they wrote theirs, a RayJob's cluster for instance.
*/}}
{{- define "operator-lib.jobPolicy" -}}
{{- if .Values.tenancy.enforceCreatorRights }}
{{- $name := printf "%s.%s.creator-rights" (include "operator-lib.namespace" .) (include "operator-lib.fullname" .) }}
{{- $policy := .Files.Get "files/job-policy.yaml" | fromYaml }}
{{- $operator := printf "system:serviceaccount:%s:%s" (include "operator-lib.namespace" .) (include "operator-lib.serviceAccountName" .) }}
{{- $exempt := dict "name" "is-of-no-exempt-user" "expression" (printf "!(request.userInfo.username in %s)" (prepend .Values.tenancy.exemptUsers $operator | toJson)) }}
{{- $_ := set $policy "matchConditions" (prepend $policy.matchConditions $exempt) }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
{{ include "operator-lib.metadata" (dict "root" . "name" $name "namespace" "-") }}
spec:
  {{- toYaml $policy | nindent 2 }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
{{ include "operator-lib.metadata" (dict "root" . "name" $name "namespace" "-") }}
spec:
  policyName: {{ $name }}
  validationActions: [Deny]
  {{- with include "operator-lib.watchedNamespaces" . }}
  matchResources:
    namespaceSelector:
      matchExpressions:
        - key: kubernetes.io/metadata.name
          operator: In
          values:
            {{- splitList "," . | toYaml | nindent 12 }}
  {{- end }}
{{- end }}
{{- end }}
