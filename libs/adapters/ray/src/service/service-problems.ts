/** Problems of a RayService: what admission refuses, and what its rules cannot check. */
import type { Problem } from '@muster/common-job-controller';
import { admitted, problemsOf, rayServiceDefinition, type RayService, type RayServiceSpec } from '@muster/job-api';
import { closedDirections } from '../access/network-policies.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { clusterWarnings } from '../model/cluster-warnings.ts';
import { ignoredSpecFields } from '../model/ignored-fields.ts';
import { servePortOf } from '../model/ports.ts';
import { headGroup, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { clusterProblems } from '../model/ray-problems.ts';
import { parseServeConfig } from '../serve/serve-config.ts';
import { initializingTimeoutMs } from './initializing-timeout.ts';
import { newCluster } from './service-clusters.ts';
import { declaredServePorts } from './service-services.ts';

const CLUSTER = 'spec.rayClusterConfig';

/** Every reconcile run of an invalid service needs it; a stored spec is replaced, never modified. */
const known = new WeakMap<object, { readonly annotations: string; readonly problems: readonly Problem[] }>();

export function rayServiceProblems(manifest: RayService): readonly Problem[] {
  const annotations = JSON.stringify(manifest.metadata?.annotations ?? {});
  const key = Object(manifest.spec) as object;
  const before = known.get(key);
  if (before?.annotations === annotations) return before.problems;
  const problems = currentProblems(manifest);
  known.set(key, { annotations, problems });
  return problems;
}

function currentProblems(manifest: RayService): Problem[] {
  const problems = problemsOf(rayServiceDefinition, manifest);
  if (problems.length > 0) return problems;
  const { metadata, spec } = admitted(rayServiceDefinition, manifest);
  const annotations = metadata?.annotations ?? {};
  return [
    ...configProblems(spec),
    ...timeoutProblems(annotations[RAY_ANNOTATIONS.initializingTimeout]),
    ...portProblems(spec),
    ...sharedStateProblems(spec, annotations),
    ...clusterProblems(spec.rayClusterConfig, CLUSTER, annotations),
  ];
}

function configProblems({ serveConfigV2 = '' }: RayServiceSpec): Problem[] {
  const { problem } = parseServeConfig(serveConfigV2);
  return problem === undefined ? [] : [{ path: 'spec.serveConfigV2', message: `Invalid value: ${problem}` }];
}

function timeoutProblems(value: string | undefined): Problem[] {
  if (!Number.isNaN(initializingTimeoutMs(value))) return [];
  const message = `Invalid value: ${JSON.stringify(value)}: must be a duration over 0, such as 10m, or whole seconds`;
  return [{ path: `metadata.annotations[${RAY_ANNOTATIONS.initializingTimeout}]`, message }];
}

function portProblems({ rayClusterConfig, serveService }: RayServiceSpec): Problem[] {
  const users = (Object(serveService?.spec) as { ports?: unknown[] }).ports ?? [];
  const model = clusterModel({ metadata: {}, spec: rayClusterConfig }, { clusterDomain: '' });
  if (users.length > 0 || declaredServePorts(model).length > 0) return [];
  const path = `${CLUSTER}.headGroupSpec.template.spec.containers[0].ports`;
  return [
    { path, message: 'Invalid value: add a port named serve, which the serve Service needs, or remove all ports' },
  ];
}

/** Two clusters exist during an upgrade: the new head would read the state of the old one. */
function sharedStateProblems(
  { rayClusterConfig: { gcsFaultToleranceOptions: options }, upgradeStrategy }: RayServiceSpec,
  annotations: Readonly<Record<string, string>>,
): Problem[] {
  if (upgradeStrategy?.type === 'None') return [];
  const path = `${CLUSTER}.gcsFaultToleranceOptions`;
  const message = (remedy: string) =>
    `Forbidden: ${remedy}, or set spec.upgradeStrategy.type to None: an upgrade runs two clusters, which must not share their state`;
  const annotated = annotations[RAY_ANNOTATIONS.externalStorageNamespace] ?? '';
  return [
    ...((options?.externalStorageNamespace ?? '') === ''
      ? []
      : [{ path: `${path}.externalStorageNamespace`, message: message('remove it') }]),
    ...((options?.storage?.claimName ?? '') === ''
      ? []
      : [{ path: `${path}.storage.claimName`, message: message('remove it, so that each cluster gets a claim') }]),
    ...(annotated === ''
      ? []
      : [
          {
            path: `metadata.annotations[${RAY_ANNOTATIONS.externalStorageNamespace}]`,
            message: message('remove it'),
          },
        ]),
  ];
}

/** For a valid RayService. */
export function rayServiceWarnings(service: RayService): Problem[] {
  const { spec } = service;
  const thresholds = ['serviceUnhealthySecondThreshold', 'deploymentUnhealthySecondThreshold'] as const;
  const model = clusterModel(newCluster(service, service.metadata?.name ?? ''), { clusterDomain: '' });
  return [
    ...thresholds
      .filter((field) => spec[field] !== undefined)
      .map((field) => ({ path: `spec.${field}`, message: 'is ignored: Ray Serve restarts unhealthy replicas itself' })),
    ...ignoredSpecFields(spec.rayClusterConfig, CLUSTER),
    ...inConfig(clusterWarnings(model)),
    ...noWorkers(spec),
    ...closedPort(model),
  ];
}

/** Muster opens the ports of Ray to the cluster and the operator, but the clients of a service are unknown. */
function closedPort(cluster: ClusterModel): Problem[] {
  if (cluster.spec.networkPolicy === undefined || !closedDirections(cluster).includes('Ingress')) return [];
  const port = servePortOf(headGroup(cluster));
  const message = `add ingress rules for port ${port} of the head and the workers, for the clients of the service, and for the operator, which checks the proxy of the head`;
  return [{ path: `${CLUSTER}.networkPolicy`, message }];
}

function inConfig(problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: path.replace(/^spec\b/, CLUSTER), message }));
}

function noWorkers({ excludeHeadPodFromServeSvc, rayClusterConfig }: RayServiceSpec): Problem[] {
  if (excludeHeadPodFromServeSvc !== true || (rayClusterConfig.workerGroupSpecs ?? []).length > 0) return [];
  const message = 'no pod gets requests, because there are no worker groups: remove it, or add workers';
  return [{ path: 'spec.excludeHeadPodFromServeSvc', message }];
}
