{{/*
The CRDs are templates, so that helm upgrade changes them. The policy keep prevents helm uninstall, or an upgrade without them, from deleting
them together with every job. Helm reads the policy from the installed object, so a later value could not add it. Labels and annotations are
inserted into the text, because parsing and printing YAML would turn large integers into floats.
*/}}
{{- define "operator-lib.crds" -}}
{{- if and .Values.crds.install (not .Values.shadow.enabled) }}
{{- $annotations := merge (dict "helm.sh/resource-policy" "keep") .Values.commonAnnotations }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $metadata := printf "\nmetadata:\n  labels:\n%s\n" (include "operator-lib.labels" $ | indent 4) }}
{{- $metadata = printf "%s  annotations:\n%s\n" $metadata (toYaml $annotations | indent 4) }}
{{ $.Files.Get $path | replace "\nmetadata:\n" $metadata }}
{{- end }}
{{- end }}
{{- end }}
