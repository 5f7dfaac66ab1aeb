{{- define "operator-lib.networkPolicy" -}}
{{- $policy := .Values.networkPolicy }}
{{- if $policy.enabled }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
{{ include "operator-lib.metadata" (dict "root" .) }}
spec:
  podSelector:
    matchLabels:
      {{- include "operator-lib.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports:
        - port: {{ .Values.metrics.port }}
          protocol: TCP
      {{- with $policy.ingressFrom }}
      from:
        {{- toYaml . | nindent 8 }}
        {{- if $.Values.tests.enabled }}
        - podSelector:
            matchLabels:
              {{- include "operator-lib.testLabels" $ | nindent 14 }}
        {{- end }}
      {{- end }}
  egress:
    # DNS
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    # The API server
    - ports:
        {{- range $policy.apiServerPorts }}
        - port: {{ . }}
          protocol: TCP
        {{- end }}
      {{- with $policy.apiServerCIDRs }}
      to:
        {{- range . }}
        - ipBlock:
            cidr: {{ . | quote }}
        {{- end }}
      {{- end }}
    {{- with $policy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
