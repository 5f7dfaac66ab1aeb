{{/* The label app.kubernetes.io/name. It depends only on the framework: NetworkPolicies of RayClusters admit the operator by it. */}}
{{- define "operator-lib.name" -}}
muster-{{ .Chart.Name }}
{{- end }}

{{/* Name of the release's objects: <release>-<chart>, or <release> if it contains the chart's name. */}}
{{- define "operator-lib.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "operator-lib.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end }}

{{/* Name of cluster-scoped objects. Contains the namespace, because two namespaces may have releases of the same name. */}}
{{- define "operator-lib.clusterName" -}}
{{ include "operator-lib.namespace" . }}:{{ include "operator-lib.fullname" . }}
{{- end }}

{{- define "operator-lib.serviceAccountName" -}}
{{- $own := .Values.serviceAccount.create | ternary (include "operator-lib.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $own -}}
{{- end }}

{{/* The operator's image. A digest takes precedence over a tag. */}}
{{- define "operator-lib.image" -}}
{{- $image := .Values.image -}}
{{- $registry := dig "imageRegistry" "" (.Values.global | default dict) | default $image.registry -}}
{{- $repository := empty $registry | ternary $image.repository (printf "%s/%s" $registry $image.repository) -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Selects the operator's pods. Must not change in an upgrade. */}}
{{- define "operator-lib.selectorLabels" -}}
app.kubernetes.io/name: {{ include "operator-lib.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "operator-lib.labels" -}}
{{- $own := include "operator-lib.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/component" "operator" -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "muster" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- merge $own .Values.commonLabels | toYaml -}}
{{- end }}

{{/*
Metadata of an object.
  root         the chart's context
  name         default: the name of the release's objects
  namespace    default: that of the release; "-" for cluster-scoped objects
  labels       additional labels
  annotations  additional annotations
*/}}
{{- define "operator-lib.metadata" -}}
{{- $root := .root -}}
{{- $namespace := .namespace | default (include "operator-lib.namespace" $root) -}}
metadata:
  name: {{ .name | default (include "operator-lib.fullname" $root) | quote }}
  {{- if ne $namespace "-" }}
  namespace: {{ $namespace | quote }}
  {{- end }}
  labels:
    {{- merge (include "operator-lib.labels" $root | fromYaml) (.labels | default dict) | toYaml | nindent 4 }}
  {{- with merge (deepCopy (.annotations | default dict)) $root.Values.commonAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
