{{/* Different from the operator's labels: the selectors of Service and Deployment must not match the pod of the test. */}}
{{- define "operator-lib.testLabels" -}}
app.kubernetes.io/name: {{ include "operator-lib.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* Metadata of a hook of helm test. Helm deletes the objects, and prints the log of the pod if it fails. Parameters: root, weight. */}}
{{- define "operator-lib.testMetadata" -}}
metadata:
  name: {{ printf "%s-ready" (include "operator-lib.fullname" .root | trunc 57) | quote }}
  namespace: {{ include "operator-lib.namespace" .root | quote }}
  labels:
    {{- merge (include "operator-lib.testLabels" .root | fromYaml) .root.Values.commonLabels | toYaml | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
    helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{/*
helm test: requests /readyz of the operator. The operator is ready if its CRDs are served, its permissions are granted and its caches are filled.
If it is not ready, the test prints the reasons, and the termination messages of its pods. The test uses the operator's image, so that no other
image is pulled.
*/}}
{{- define "operator-lib.test" -}}
{{- if and .Values.tests.enabled .Values.metrics.service.enabled }}
{{- $name := printf "%s-ready" (include "operator-lib.fullname" . | trunc 57) }}
{{- if .Values.rbac.create }}
---
apiVersion: v1
kind: ServiceAccount
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
rules:
  - apiGroups: [""]
    resources: [pods]
    verbs: [list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 0) }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ $name | quote }}
    namespace: {{ include "operator-lib.namespace" . | quote }}
{{- end }}
---
apiVersion: v1
kind: Pod
{{ include "operator-lib.testMetadata" (dict "root" . "weight" 1) }}
spec:
  restartPolicy: Never
  {{- if .Values.rbac.create }}
  serviceAccountName: {{ $name | quote }}
  {{- end }}
  automountServiceAccountToken: {{ .Values.rbac.create }}
  enableServiceLinks: false
  activeDeadlineSeconds: 90
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
      {{- if .Values.rbac.create }}
      env:
        - name: NODE_EXTRA_CA_CERTS
          value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
      {{- end }}
      command: [node, --input-type=module, --eval]
      args:
        - |
          import { readFileSync } from 'node:fs';
          const namespace = '{{ include "operator-lib.namespace" . }}';
          const selector = 'app.kubernetes.io/name={{ include "operator-lib.name" . }},app.kubernetes.io/instance={{ .Release.Name }}';
          const service = 'http://{{ include "operator-lib.fullname" . }}:{{ .Values.metrics.port }}/readyz';
          const api = 'https://kubernetes.default.svc';
          const account = '/var/run/secrets/kubernetes.io/serviceaccount';
          const endMs = Date.now() + 60_000;
          // A pod stays in these states until its cause is removed.
          const stuck = ['CrashLoopBackOff', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError'];
          const get = async (url, headers = {}) => {
            try {
              const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
              return { ok: response.ok, status: response.status, text: await response.text() };
            } catch (error) {
              return { ok: false, status: '', text: String(error.cause ?? error) };
            }
          };
          const readPods = async () => {
            let token;
            try {
              token = readFileSync(`${account}/token`, 'utf8');
            } catch {
              return [];
            }
            const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
            const { ok, text } = await get(api + path, { authorization: `Bearer ${token}` });
            return ok ? JSON.parse(text).items : [];
          };
          // /readyz reports problems by concern.
          const problemsIn = (text) => {
            try {
              return Object.values(JSON.parse(text).error).flatMap((concern) => concern.problems ?? JSON.stringify(concern));
            } catch {
              return [text];
            }
          };
          const statesOf = (pod) => pod.status?.containerStatuses ?? [];
          const report = async (pods) => {
            for (const pod of pods) {
              console.log(`Pod ${pod.metadata.name}: ${pod.status?.phase}`);
              const unmet = (pod.status?.conditions ?? []).filter(({ message, status }) => status === 'False' && message);
              for (const message of new Set(unmet.map((each) => each.message))) console.log(`  ${message}`);
              for (const { name, state, lastState, restartCount } of statesOf(pod)) {
                if (state?.waiting) console.log(`  container ${name} is waiting: ${state.waiting.reason}: ${state.waiting.message ?? ''}`);
                const ended = state?.terminated ?? lastState?.terminated;
                if (ended) {
                  console.log(`  container ${name} ended with exit code ${ended.exitCode} (${ended.reason}), ${restartCount} restarts. Termination message:`);
                  console.log(String(ended.message ?? '').trimEnd().replace(/^/gm, '    '));
                }
                if (state?.running && pod.status?.podIP) {
                  const host = pod.status.podIP.includes(':') ? `[${pod.status.podIP}]` : pod.status.podIP;
                  const { status, text } = await get(`http://${host}:{{ .Values.metrics.port }}/readyz`);
                  for (const line of problemsIn(text)) console.log(`  /readyz ${status}: ${line}`);
                }
              }
            }
            console.log(`The operator is not ready. Read its log: kubectl --namespace ${namespace} logs --selector ${selector} --prefix`);
          };
          let lastLine = '';
          // A Service has no endpoints for a moment after its pods are ready.
          for (;;) {
            const { ok, status, text } = await get(service);
            if (lastLine !== `${status} ${text}`) console.log(service, status, text);
            lastLine = `${status} ${text}`;
            if (ok) break;
            const pods = await readPods();
            const isStuck = pods.length > 0 && pods.every((pod) => statesOf(pod).some(({ state }) => stuck.includes(state?.waiting?.reason)));
            if (isStuck || Date.now() > endMs) {
              await report(pods);
              process.exit(1);
            }
            await new Promise((resolve) => setTimeout(resolve, 1000));
          }
      resources:
        requests: { cpu: 10m, memory: 64Mi }
        limits: { memory: 128Mi }
      securityContext:
        {{- toYaml .Values.containerSecurityContext | nindent 8 }}
{{- end }}
{{- end }}
