{{/*
The CRDs, as templates, so that helm upgrade changes them. With the policy keep neither helm uninstall nor an upgrade without them deletes them, and
with them every job: Helm reads that policy on the object as it was installed, so no later value could add it in time. Labels and
annotations are put into the text: YAML that is read and written again would turn large integers into floats.
*/}}
{{- define "operator-lib.crds" -}}
{{- if .Values.crds.install }}
{{- $annotations := merge (dict "helm.sh/resource-policy" "keep") .Values.commonAnnotations }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $metadata := printf "\nmetadata:\n  labels:\n%s\n" (include "operator-lib.labels" $ | indent 4) }}
{{- $metadata = printf "%s  annotations:\n%s\n" $metadata (toYaml $annotations | indent 4) }}
{{ $.Files.Get $path | replace "\nmetadata:\n" $metadata }}
{{- end }}
{{- end }}
{{- end }}
