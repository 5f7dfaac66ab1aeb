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
