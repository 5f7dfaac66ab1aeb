{{- define "operator-lib.notes" -}}
{{- $namespace := include "operator-lib.namespace" . -}}
{{- $fullname := include "operator-lib.fullname" . -}}
{{- $permissions := .Files.Get "files/permissions.yaml" | fromYaml -}}
{{- $kind := first (first $permissions.viewer).resources -}}
The {{ .Chart.Name }} operator {{ .Chart.AppVersion }} runs in namespace {{ $namespace }} and watches
{{- with include "operator-lib.watchedNamespaces" . }} jobs in {{ . | replace "," ", " }}.
{{- else }} jobs in all namespaces.
{{- end }}

To check whether it is ready:
  kubectl --namespace {{ $namespace }} rollout status deployment/{{ $fullname }}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}
{{- end }}

If it is not ready, to find the cause in its log and in the status of its pods:
{{- $selector := printf "app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s" (include "operator-lib.name" .) .Release.Name }}
  kubectl --namespace {{ $namespace }} logs --selector {{ $selector }} --prefix --tail 5
  kubectl --namespace {{ $namespace }} get pods --selector {{ $selector }} --output jsonpath='{range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\n"}{.lastState.terminated.message}{"\n"}{end}'
{{- if .Values.shadow.enabled }}

It runs in shadow mode: it writes nothing, and the other operator runs the jobs. To compare both:
  muster shadow report
{{- else }}
{{- if .Values.leaderElection.enabled }}

To show the leader, the holder of the Lease (helm uninstall keeps the Lease):
  kubectl --namespace {{ .Values.leaderElection.namespace | default $namespace }} get leases --selector muster.dev/framework
{{- end }}

To run a job and watch it:
  kubectl apply -f job.yaml
  kubectl get {{ $kind }} --watch
{{- if not .Values.crds.install }}

crds.install=false: the CRDs of this version ({{ .Chart.Version }}) or a later one must be installed.
{{- else }}

helm uninstall keeps the CRDs, and therefore all jobs. To delete the CRDs with all their jobs:
  {{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
  {{- $name := splitList "_" (base $path) }}
  kubectl delete crd {{ trimSuffix ".yaml" (last $name) }}.{{ first $name }}
  {{- end }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}

WARNING: leaderElection.enabled=false. Run one replica only, and no second release for the same namespaces.
{{- end }}
{{- end }}
{{- if not .Values.rbac.create }}

rbac.create=false: grant ServiceAccount {{ include "operator-lib.serviceAccountName" . }} the permissions in files/permissions.yaml of this chart.
{{- end }}
{{- end }}
