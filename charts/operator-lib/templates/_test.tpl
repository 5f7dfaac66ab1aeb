{{/* Others than the operator's: Service and Deployment must not take the test's pod for one of theirs. */}}
{{- define "operator-lib.testLabels" -}}
app.kubernetes.io/name: {{ include "operator-lib.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/*
helm test: asks the operator whether it is ready, which it is only if its CRDs are served, its rights are granted and its
caches are filled. It runs in the operator's own image, so nothing else has to be pulled.
*/}}
{{- define "operator-lib.test" -}}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
apiVersion: v1
kind: Pod
metadata:
  name: {{ printf "%s-ready" (include "operator-lib.fullname" . | trunc 57) | quote }}
  namespace: {{ include "operator-lib.namespace" . | quote }}
  labels:
    {{- merge (include "operator-lib.testLabels" . | fromYaml) .Values.commonLabels | toYaml | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  enableServiceLinks: false
  activeDeadlineSeconds: 120
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: ready
      image: {{ include "operator-lib.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [node, --input-type=module, --eval]
      args:
        - |
          const url = 'http://{{ include "operator-lib.fullname" . }}:{{ .Values.metrics.port }}/readyz';
          const endMs = Date.now() + 60_000;
          // A Service leads nowhere for a moment after its pods have become ready.
          for (let ready = false; !ready; ) {
            try {
              const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
              console.log(url, response.status, await response.text());
              ready = response.ok;
            } catch (error) {
              console.log(url, String(error.cause ?? error));
            }
            if (!ready && Date.now() > endMs) {
              console.log('Not ready: kubectl --namespace {{ include "operator-lib.namespace" . }} logs deployment/{{ include "operator-lib.fullname" . }}');
              process.exit(1);
            }
            if (!ready) await new Promise((resolve) => setTimeout(resolve, 1000));
          }
      resources:
        requests: { cpu: 10m, memory: 64Mi }
        limits: { memory: 128Mi }
      securityContext:
        {{- toYaml .Values.containerSecurityContext | nindent 8 }}
{{- end }}
{{- end }}
