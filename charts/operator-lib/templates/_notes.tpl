{{- define "operator-lib.notes" -}}
{{- $namespace := include "operator-lib.namespace" . -}}
{{- $fullname := include "operator-lib.fullname" . -}}
{{- $permissions := .Files.Get "files/permissions.yaml" | fromYaml -}}
{{- $kind := first (first $permissions.viewer).resources -}}
The {{ .Chart.Name }} operator {{ .Chart.AppVersion }} runs in the namespace {{ $namespace }}, and looks after
{{- with include "operator-lib.watchedNamespaces" . }} jobs in {{ . | replace "," ", " }}.
{{- else }} jobs in all namespaces.
{{- end }}

Is it ready?
  kubectl --namespace {{ $namespace }} rollout status deployment/{{ $fullname }}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}
{{- end }}

If not, why? What keeps it, its last words, and what its pods wait for:
{{- $selector := printf "app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s" (include "operator-lib.name" .) .Release.Name }}
  kubectl --namespace {{ $namespace }} logs --selector {{ $selector }} --prefix --tail 5
  kubectl --namespace {{ $namespace }} get pods --selector {{ $selector }} --output jsonpath='{range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\n"}{.lastState.terminated.message}{"\n"}{end}'
{{- if .Values.leaderElection.enabled }}

Who leads, by its Lease (it stays after helm uninstall):
  kubectl --namespace {{ .Values.leaderElection.namespace | default $namespace }} get leases --selector muster.dev/framework
{{- end }}

Run a job, and follow it:
  kubectl apply -f job.yaml
  kubectl get {{ $kind }} --watch
{{- if not .Values.crds.install }}

crds.install=false: the CRDs have to be there, of this version ({{ .Chart.Version }}) or a later one.
{{- else }}

helm uninstall leaves the CRDs, and so all jobs. They go with their CRDs only:
  {{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
  {{- $name := splitList "_" (base $path) }}
  kubectl delete crd {{ trimSuffix ".yaml" (last $name) }}.{{ first $name }}
  {{- end }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}

WARNING: leaderElection.enabled=false. Run one replica only, and no second release for the same namespaces.
{{- end }}
{{- if not .Values.rbac.create }}

rbac.create=false: grant the account {{ include "operator-lib.serviceAccountName" . }} what files/permissions.yaml of this chart lists.
{{- end }}
{{- end }}
