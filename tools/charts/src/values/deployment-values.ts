/** Values that say how the operator's pods are made and placed. */
import * as z from 'zod';
import { choice, group, kubernetesFields, kubernetesList, kubernetesObject, onOff, optionalName, text, textMap, wholeNumber } from './value.ts';

const DIGEST = /^(sha256:[0-9a-f]{64})?$/;

/** What is probed is not theirs to say. */
const PROBE_TIMES = [
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
];

export const DEPLOYMENT_VALUES = {
  nameOverride: optionalName({ description: "In names of objects, in place of the chart's name." }),
  fullnameOverride: optionalName({ description: 'Name of the objects, in place of <release>-<chart>.' }),
  namespaceOverride: optionalName({ description: 'Namespace of the objects, in place of that of the release.' }),
  commonLabels: textMap('Labels of all objects.'),
  commonAnnotations: textMap('Annotations of all objects.'),

  image: group('The image of the operator.', {
    registry: text('', { description: 'Registry, in front of the repository; global.imageRegistry wins over it.' }),
    repository: text('', { description: '**Required.** Where you have pushed the image: Muster publishes none yet.' }),
    tag: text('', { description: "Tag; the chart's appVersion unless set." }),
    digest: z.string().regex(DIGEST).default('').describe('Digest (sha256:…), which wins over the tag.'),
    pullPolicy: choice(['IfNotPresent', 'Always', 'Never'], 'IfNotPresent', { description: 'When the image is pulled.' }),
    pullSecrets: kubernetesList('Secrets with the credentials of the registry, as {name: …}.'),
  }),

  replicaCount: wholeNumber([0, 100], 1, {
    description: 'Pods of the operator. One acts, the others stand by: more than one needs leader election.',
  }),
  revisionHistoryLimit: wholeNumber([0, 1000], 10, { description: 'ReplicaSets that are kept for a rollback.' }),
  updateStrategy: kubernetesFields('Strategy of the Deployment: RollingUpdate with leader election, else Recreate.', [
    'type',
    'rollingUpdate',
  ]),

  resources: kubernetesFields(
    'Requests and limits. An idle operator takes about 100 MB; each pod of a job adds some kB.',
    ['requests', 'limits', 'claims'],
    { requests: { cpu: '50m', memory: '160Mi' }, limits: { memory: '512Mi' } },
  ),
  podSecurityContext: kubernetesObject('Of the pod. As it is, it passes the Pod Security Standard restricted.', {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    fsGroup: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  }),
  containerSecurityContext: kubernetesObject('Of the container.', {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
  }),
  startupProbe: kubernetesFields('Times of the probe of /healthz before the others begin.', PROBE_TIMES, {
    periodSeconds: 2,
    failureThreshold: 30,
  }),
  livenessProbe: kubernetesFields('Times of the probe of /healthz.', PROBE_TIMES, {
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 6,
  }),
  readinessProbe: kubernetesFields('Times of the probe of /readyz.', PROBE_TIMES, { periodSeconds: 5, timeoutSeconds: 5 }),

  nodeSelector: textMap('Labels that a node has to have.'),
  tolerations: kubernetesList('Taints of nodes that are tolerated.'),
  affinity: kubernetesFields('Affinity of the pods.', ['nodeAffinity', 'podAffinity', 'podAntiAffinity']),
  topologySpreadConstraints: kubernetesList(
    "How replicas are spread. A constraint without a labelSelector gets that of the operator's pods.",
  ),
  priorityClassName: text('', { description: 'PriorityClass of the pods.' }),
  podLabels: textMap('Further labels of the pods.'),
  podAnnotations: textMap('Annotations of the pods.'),
  deploymentAnnotations: textMap('Annotations of the Deployment.'),
  hostNetwork: onOff(false, { description: 'Whether the pods are in the network of their node.' }),
  dnsPolicy: text('', { description: 'DNS policy of the pods.' }),
  dnsConfig: kubernetesFields('DNS settings of the pods.', ['nameservers', 'searches', 'options']),
  extraEnv: kubernetesList('Further environment variables.'),
  extraEnvFrom: kubernetesList('ConfigMaps and Secrets with further environment variables.'),
  extraVolumes: kubernetesList('Further volumes of the pods.'),
  extraVolumeMounts: kubernetesList('Where the operator sees them.'),
  extraInitContainers: kubernetesList('Containers that run before the operator.'),
  extraObjects: kubernetesList('Further objects of the release.'),
};
