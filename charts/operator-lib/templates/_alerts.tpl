{{/*
A PrometheusRule of files/alerts.yaml: the alerts are about the pods of this release, and leave out what the values switch
off or what they make unknowable.
*/}}
{{- define "operator-lib.alerts" -}}
{{- $alerts := .Values.alerts }}
{{- if $alerts.enabled }}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
{{ include "operator-lib.metadata" (dict "root" . "labels" $alerts.labels) }}
spec:
  groups:
    - name: {{ include "operator-lib.namespace" . }}.{{ include "operator-lib.fullname" . }}
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

{{/* Something, if the values let an alert be known: root, needs. */}}
{{- define "operator-lib.hasWhatAlertNeeds" -}}
{{- if eq (toString .needs) "perJob" -}}
{{- if .root.Values.metrics.perJob -}} true {{- end -}}
{{- else if eq (toString .needs) "memoryLimit" -}}
{{- include "operator-lib.memoryLimitBytes" .root -}}
{{- else -}}
true
{{- end -}}
{{- end }}

{{/* root, expr, threshold */}}
{{- define "operator-lib.alertExpression" -}}
{{- $expr := .expr | replace "%{namespace}" (include "operator-lib.namespace" .root) | replace "%{deployment}" (include "operator-lib.fullname" .root) -}}
{{- if contains "%{memoryThreshold}" $expr -}}
{{- $expr | replace "%{memoryThreshold}" (mulf (include "operator-lib.memoryLimitBytes" .root | float64) .threshold | int64 | toString) -}}
{{- else -}}
{{- $expr | replace "%{threshold}" (.threshold | toString) -}}
{{- end -}}
{{- end }}

{{/* The limit of memory of the operator's container in bytes; nothing where there is none. */}}
{{- define "operator-lib.memoryLimitBytes" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources -}}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- if kindIs "string" $limit -}}
{{- $unit := regexFind "[A-Za-z]*$" $limit -}}
{{- if and $limit (hasKey $units $unit) -}}
{{- mulf (trimSuffix $unit $limit | float64) (index $units $unit) | int64 -}}
{{- end -}}
{{- else -}}
{{- int64 $limit -}}
{{- end -}}
{{- end }}
