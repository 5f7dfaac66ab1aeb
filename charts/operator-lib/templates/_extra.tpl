{{- define "operator-lib.extraObjects" -}}
{{- range .Values.extraObjects }}
---
{{ toYaml . }}
{{- end }}
{{- end }}
