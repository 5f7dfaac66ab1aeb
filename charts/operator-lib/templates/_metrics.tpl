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
