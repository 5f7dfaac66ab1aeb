/** What the command line shows of a RayService: its pods, and in `muster why` why it is not ready. */
import { rayAdapters } from '@muster/adapter-ray';
import type { JobManifest } from '@muster/common-job-controller';
import {
  RAY_CLUSTERS,
  RAY_SERVICES,
  type RayCondition,
  type RayServiceClusterStatus,
  type RayServiceStatus,
} from '@muster/job-api';
import type { KindExplanation } from './kind-explanation.ts';
import type { PodRule } from './pod-rule.ts';

function labelsOf(kind: string) {
  const found = rayAdapters().find(({ resource }) => resource.kind === kind);
  if (found === undefined) throw new Error(`the ray operator runs no ${kind}`);
  return found.labels;
}

/** The pods of its clusters. Two clusters may have replicas of equal roles and indexes, so pods are named. */
export const rayServicePods: PodRule = {
  selectors({ metadata: { name = '' } = {} }) {
    const own = Object.entries(labelsOf(RAY_SERVICES.kind).ofJob(name));
    return [own.map(([key, value]) => `${key}=${value}`).join(',')];
  },
  isOf: ({ metadata }, pod) => labelsOf(RAY_SERVICES.kind).jobOf(pod.metadata?.labels ?? {}) === metadata?.name,
  replicaOf(pod) {
    const role = labelsOf(RAY_CLUSTERS.kind).replicaOf(pod)?.role;
    return role === undefined ? undefined : { role };
  },
};

export function explainService({ metadata, status }: JobManifest): KindExplanation {
  const {
    conditions = [],
    activeServiceStatus,
    pendingServiceStatus,
    numServeEndpoints = 0,
  } = (status ?? {}) as RayServiceStatus;
  const [ready, upgrade] = ['Ready', 'UpgradeInProgress'].map((wanted) =>
    conditions.find(({ type }) => type === wanted),
  );
  return {
    headline: headlineOf(ready, numServeEndpoints),
    details: [
      ...sideOf('Active', activeServiceStatus),
      ...sideOf('Pending', pendingServiceStatus),
      ...(upgrade?.status === 'True' ? [`Upgrade: ${upgrade.message}`] : []),
    ],
    next: [
      ...(NEXT[ready?.reason ?? ''] ?? []),
      ...clusterCommands(activeServiceStatus, pendingServiceStatus, metadata),
    ],
  };
}

function headlineOf(ready: RayCondition | undefined, endpoints: number): string {
  if (ready === undefined) return 'was not reconciled yet: no operator runs, or it has just been created.';
  if (ready.status === 'True')
    return `serves requests on ${endpoints} pod${endpoints === 1 ? '' : 's'}. ${ready.message}.`;
  return `is not ready (${ready.reason}): ${ready.message}`;
}

function sideOf(what: string, side: RayServiceClusterStatus | undefined): string[] {
  const { rayClusterName, applicationStatuses = {} } = side ?? {};
  if (rayClusterName === undefined) return [];
  const applications = Object.entries(applicationStatuses).map(
    ([application, { status = 'unknown', message, serveDeploymentStatuses = {} }]) => {
      const unhealthy = Object.entries(serveDeploymentStatuses)
        .filter(([, each]) => each.status !== 'HEALTHY')
        .map(
          ([deployment, each]) => `${deployment} ${each.status}${each.message ? ` (${oneLine(each.message)})` : ''}`,
        );
      const why = [...(message ? [oneLine(message)] : []), ...unhealthy];
      return `Application ${application}: ${status}${why.length === 0 ? '' : `: ${why.join('; ')}`}.`;
    },
  );
  return [`${what} cluster: ${rayClusterName}.`, ...applications];
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `…${line.slice(-300)}` : line;
}

/** By the reason of the condition Ready. */
const NEXT: Readonly<Partial<Record<string, readonly string[]>>> = {
  SuspendComplete: ['resume'],
  ValidationFailed: ['kubectl edit'],
  InitializingTimeout: ['kubectl edit'],
};

function clusterCommands(
  active: RayServiceClusterStatus | undefined,
  pending: RayServiceClusterStatus | undefined,
  { name = '' }: NonNullable<JobManifest['metadata']> = {},
): string[] {
  const clusters = [pending, active].flatMap((side) => side?.rayClusterName ?? []);
  return clusters.length === 0
    ? [`kubectl get rayclusters -l ray.io/originated-from-cr-name=${name}`]
    : clusters.map((cluster) => `why raycluster/${cluster}`);
}
