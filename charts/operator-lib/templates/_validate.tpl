{{/* Refuses combinations of values that the schema cannot refuse, each with what to do. */}}
{{- define "operator-lib.validate" -}}
{{- $values := .Values -}}
{{- if not $values.image.repository -}}
{{- fail (printf "image.repository is required, because Muster publishes no images yet: build one with \"npm run images -- operator %s\" in a clone of Muster, push it to a registry that your cluster pulls from, and set image.repository to its name there." .Chart.Name) -}}
{{- end -}}
{{- if and (gt (int $values.replicaCount) 1) (not $values.leaderElection.enabled) -}}
{{- fail "replicaCount: more than one replica needs leaderElection.enabled=true, or all of them would run every job." -}}
{{- end -}}
{{- if and (eq $values.watch.scope "namespaces") (empty $values.watch.namespaces) -}}
{{- fail "watch.namespaces is empty: list the namespaces, or set watch.scope to cluster or own." -}}
{{- end -}}
{{- if and (ne $values.watch.scope "namespaces") $values.watch.namespaces -}}
{{- fail (printf "watch.namespaces has no meaning with watch.scope=%s: set watch.scope=namespaces." $values.watch.scope) -}}
{{- end -}}
{{- if and (eq $values.gangScheduling.scheduler "scheduler-plugins") (empty $values.gangScheduling.schedulerName) -}}
{{- fail "gangScheduling.schedulerName is empty: set the name of the scheduler that has the plugin Coscheduling." -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if and (ne (toString $budget.minAvailable) "") (ne (toString $budget.maxUnavailable) "") -}}
{{- fail "podDisruptionBudget: set minAvailable or maxUnavailable, not both." -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled (not $values.metrics.service.enabled) -}}
{{- fail "metrics.serviceMonitor needs metrics.service.enabled=true; metrics.podMonitor does without a Service." -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled $values.metrics.podMonitor.enabled -}}
{{- fail "metrics: enable serviceMonitor or podMonitor, not both, or every metric is scraped twice." -}}
{{- end -}}
{{- end }}
