{{/*
The CRDs, as templates, so that helm upgrade changes them; with the policy keep helm uninstall leaves them. Labels and
annotations are put into the text: YAML that is read and written again would turn large integers into floats.
*/}}
{{- define "operator-lib.crds" -}}
{{- if .Values.crds.install }}
{{- $keep := .Values.crds.keep | ternary (dict "helm.sh/resource-policy" "keep") dict }}
{{- $annotations := merge $keep .Values.commonAnnotations }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $metadata := printf "\nmetadata:\n  labels:\n%s\n" (include "operator-lib.labels" $ | indent 4) }}
{{- if $annotations }}
{{- $metadata = printf "%s  annotations:\n%s\n" $metadata (toYaml $annotations | indent 4) }}
{{- end }}
{{ $.Files.Get $path | replace "\nmetadata:\n" $metadata }}
{{- end }}
{{- end }}
{{- end }}
