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
