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
