/** Values of the operator's pods and their scheduling. */
import * as z from 'zod';
import { choice, group, kubernetesFields, kubernetesList, kubernetesObject, onOff, optionalName, text, textMap, wholeNumber } from './value.ts';

const DIGEST = /^(sha256:[0-9a-f]{64})?$/;

/** Values cannot change what is probed. */
const PROBE_TIMES = [
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
];

export const DEPLOYMENT_VALUES = {
  nameOverride: optionalName({ description: "Replaces the chart's name in names of objects." }),
  fullnameOverride: optionalName({ description: 'Name of the objects instead of <release>-<chart>.' }),
  namespaceOverride: optionalName({ description: 'Namespace of the objects instead of that of the release.' }),
  commonLabels: textMap('Labels of all objects.'),
  commonAnnotations: textMap('Annotations of all objects.'),

  image: group('The image of the operator.', {
    registry: text('', { description: 'Registry, prepended to the repository. global.imageRegistry takes precedence.' }),
    repository: text('', { description: '**Required.** Repository to which you have pushed the image: Muster publishes none yet.' }),
    tag: text('', { description: "Tag. Default: the chart's appVersion." }),
    digest: z.string().regex(DIGEST).default('').describe('Digest (sha256:…), which takes precedence over the tag.'),
    pullPolicy: choice(['IfNotPresent', 'Always', 'Never'], 'IfNotPresent', { description: 'When the image is pulled.' }),
    pullSecrets: kubernetesList('Secrets with the credentials of the registry, as {name: …}.'),
  }),

  replicaCount: wholeNumber([0, 100], 1, {
    description: 'Pods of the operator. One is the leader, the others are on standby. More than one needs leader election.',
  }),
  revisionHistoryLimit: wholeNumber([0, 1000], 10, { description: 'Number of ReplicaSets that are kept for a rollback.' }),
  updateStrategy: kubernetesFields('Strategy of the Deployment. Default: RollingUpdate with leader election, otherwise Recreate.', [
    'type',
    'rollingUpdate',
  ]),

  resources: kubernetesFields(
    'Requests and limits. An idle operator uses about 100 MB; each pod of a job adds some kB.',
    ['requests', 'limits', 'claims'],
    { requests: { cpu: '50m', memory: '160Mi' }, limits: { memory: '512Mi' } },
  ),
  podSecurityContext: kubernetesObject('Security context of the pod. The default conforms to the Pod Security Standard restricted.', {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    fsGroup: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  }),
  containerSecurityContext: kubernetesObject('Security context of the container.', {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
  }),
  startupProbe: kubernetesFields('Times of the startup probe of /healthz, which precedes the other probes.', PROBE_TIMES, {
    periodSeconds: 2,
    failureThreshold: 30,
  }),
  livenessProbe: kubernetesFields('Times of the liveness probe of /healthz.', PROBE_TIMES, {
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 6,
  }),
  readinessProbe: kubernetesFields('Times of the readiness probe of /readyz.', PROBE_TIMES, { periodSeconds: 5, timeoutSeconds: 5 }),

  nodeSelector: textMap('Labels that nodes must have.'),
  tolerations: kubernetesList('Tolerations of the pods.'),
  affinity: kubernetesFields('Affinity of the pods.', ['nodeAffinity', 'podAffinity', 'podAntiAffinity']),
  topologySpreadConstraints: kubernetesList(
    "Topology spread constraints. One without a labelSelector gets that of the operator's pods.",
  ),
  priorityClassName: text('', { description: 'PriorityClass of the pods.' }),
  podLabels: textMap('Further labels of the pods.'),
  podAnnotations: textMap('Annotations of the pods.'),
  deploymentAnnotations: textMap('Annotations of the Deployment.'),
  hostNetwork: onOff(false, { description: 'Run the pods in the network of their node.' }),
  dnsPolicy: text('', { description: 'DNS policy of the pods.' }),
  dnsConfig: kubernetesFields('DNS settings of the pods.', ['nameservers', 'searches', 'options']),
  extraEnv: kubernetesList('Further environment variables.'),
  extraEnvFrom: kubernetesList('ConfigMaps and Secrets with further environment variables.'),
  extraVolumes: kubernetesList('Further volumes of the pods.'),
  extraVolumeMounts: kubernetesList('Mounts of volumes in the container of the operator.'),
  extraInitContainers: kubernetesList('Containers that run before the operator.'),
  extraObjects: kubernetesList('Further objects of the release.'),
};
