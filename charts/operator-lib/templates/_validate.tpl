{{/* Rejects combinations of values that the schema cannot reject. */}}
{{- define "operator-lib.validate" -}}
{{- $values := .Values -}}
{{- if not $values.image.repository -}}
{{- fail (printf "image.repository is required, because Muster publishes no images yet: build one with \"npm run images -- operator %s\" in a clone of Muster, push it to a registry that your cluster pulls from, and set image.repository to its name there." .Chart.Name) -}}
{{- end -}}
{{- if and (gt (int $values.replicaCount) 1) (not $values.leaderElection.enabled) -}}
{{- fail "replicaCount: more than one replica needs leaderElection.enabled=true; otherwise every replica would reconcile every job." -}}
{{- end -}}
{{- if and $values.shadow.enabled (gt (int $values.replicaCount) 1) -}}
{{- fail "replicaCount: shadow.enabled needs one replica, because each would compare every job on its own." -}}
{{- end -}}
{{- if and $values.shadow.enabled $values.recording.enabled -}}
{{- fail "recording.enabled has no effect with shadow.enabled: no reconcile run of an operator in shadow mode is recorded." -}}
{{- end -}}
{{- if and (eq $values.watch.scope "namespaces") (empty $values.watch.namespaces) -}}
{{- fail "watch.namespaces is empty: list the namespaces, or set watch.scope to cluster or own." -}}
{{- end -}}
{{- if and (ne $values.watch.scope "namespaces") $values.watch.namespaces -}}
{{- fail (printf "watch.namespaces is ignored with watch.scope=%s: set watch.scope=namespaces, or remove the list." $values.watch.scope) -}}
{{- end -}}
{{- if and (eq $values.gangScheduling.scheduler "scheduler-plugins") (empty $values.gangScheduling.schedulerName) -}}
{{- fail "gangScheduling.schedulerName is empty: set the name of the scheduler that has the plugin Coscheduling." -}}
{{- end -}}
{{- $election := $values.leaderElection -}}
{{- $lease := include "operator-lib.milliseconds" $election.leaseDuration | float64 -}}
{{- $renew := include "operator-lib.milliseconds" $election.renewDeadline | float64 -}}
{{- $retry := include "operator-lib.milliseconds" $election.retryPeriod | float64 -}}
{{- if le $lease $renew -}}
{{- fail (printf "leaderElection.leaseDuration (%s) must be longer than leaderElection.renewDeadline (%s), so that a leader gives up before another one takes over." $election.leaseDuration $election.renewDeadline) -}}
{{- end -}}
{{- if le $renew (mulf 1.2 $retry) -}}
{{- fail (printf "leaderElection.renewDeadline (%s) must be more than 1.2 times leaderElection.retryPeriod (%s), so that a leader can retry." $election.renewDeadline $election.retryPeriod) -}}
{{- end -}}
{{- $flags := concat (.Files.Get "files/flags.yaml" | fromYaml | keys) (.Files.Get "files/other-flags.yaml" | fromYamlArray) -}}
{{- range $values.operator.extraArgs -}}
{{- $flag := regexFind "^--?[^=]*" . -}}
{{- if and $flag (not (has (trimPrefix "--" $flag) $flags)) -}}
{{- fail (printf "operator.extraArgs: the operator has no flag %s. Its flags: --%s." $flag (sortAlpha $flags | join ", --")) -}}
{{- end -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if and (ne (toString $budget.minAvailable) "") (ne (toString $budget.maxUnavailable) "") -}}
{{- fail "podDisruptionBudget: set minAvailable or maxUnavailable, not both." -}}
{{- end -}}
{{- if and $budget.enabled (gt (int $values.replicaCount) 0) -}}
{{- $replicas := int $values.replicaCount -}}
{{- if has (toString $budget.maxUnavailable) (list "0" "0%") -}}
{{- fail "podDisruptionBudget.maxUnavailable=0 blocks every eviction of the operator's pods, so a drain of their node never ends: set 1 or more." -}}
{{- end -}}
{{- if ge (include "operator-lib.minAvailable" . | int) $replicas -}}
{{- fail (printf "podDisruptionBudget.minAvailable=%v with replicaCount=%d blocks every eviction of the operator's pods, so a drain of their node never ends: set a smaller value, or more replicas." $budget.minAvailable $replicas) -}}
{{- end -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled (not $values.metrics.service.enabled) -}}
{{- fail "metrics.serviceMonitor needs metrics.service.enabled=true. metrics.podMonitor needs no Service." -}}
{{- end -}}
{{- if and $values.metrics.serviceMonitor.enabled $values.metrics.podMonitor.enabled -}}
{{- fail "metrics: enable serviceMonitor or podMonitor, not both; otherwise every metric is scraped twice." -}}
{{- end -}}
{{- end }}

{{/* Converts a duration in the format of Go to milliseconds. */}}
{{- define "operator-lib.milliseconds" -}}
{{- $left := . -}}
{{- $total := 0.0 -}}
{{- range list (dict "unit" "ms" "size" 1.0) (dict "unit" "s" "size" 1000.0) (dict "unit" "m" "size" 60000.0) (dict "unit" "h" "size" 3600000.0) -}}
{{- $part := regexFind (printf "[0-9.]+%s$" .unit) $left -}}
{{- $left = trimSuffix $part $left -}}
{{- $total = addf $total (mulf .size (trimSuffix .unit $part | float64)) -}}
{{- end -}}
{{- $total -}}
{{- end }}

{{/* podDisruptionBudget.minAvailable as a number of pods: a percentage is rounded up, as in Kubernetes. -1 if not set. */}}
{{- define "operator-lib.minAvailable" -}}
{{- $least := toString .Values.podDisruptionBudget.minAvailable -}}
{{- if eq $least "" -}}
-1
{{- else if hasSuffix "%" $least -}}
{{- divf (mulf (trimSuffix "%" $least | float64) (.Values.replicaCount | float64)) 100 | ceil | int -}}
{{- else -}}
{{- $least -}}
{{- end -}}
{{- end }}
