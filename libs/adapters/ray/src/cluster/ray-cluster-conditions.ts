/** A cluster's conditions, in KubeRay's format. */
import { isReady, type ReplicaPod } from '@muster/common-job-controller';
import type { JobCondition, RayCondition } from '@muster/job-api';

export interface ClusterState {
  /** Undefined without a head pod. */
  readonly head: ReplicaPod | undefined;
  readonly isSuspended: boolean;
  /** Includes terminating pods. */
  readonly podsLeft: number;
  /** All its pods, as many as in its spec, run and are ready. */
  readonly isReady: boolean;
  /** The condition ReplicaFailure, if any. */
  readonly failure?: JobCondition;
}

type News = Pick<RayCondition, 'type' | 'status' | 'reason' | 'message'>;

export function rayConditions(before: readonly RayCondition[], now: ClusterState, time: string): RayCondition[] {
  const find = (type: string) => before.find((each) => each.type === type);
  const holds = (type: string) => find(type)?.status === 'True';
  const wasProvisioned = holds('RayClusterProvisioned') && !now.isSuspended;
  const news = [
    headReady(now.head),
    provisioned(wasProvisioned || now.isReady),
    ...(now.failure === undefined ? [] : [replicaFailure(now.failure)]),
    ...suspension(now, find('RayClusterSuspended') !== undefined || find('RayClusterSuspending') !== undefined),
  ];
  return news.map((each) => {
    const { lastTransitionTime, status } = find(each.type) ?? {};
    return {
      ...each,
      lastTransitionTime: status === each.status && lastTransitionTime !== undefined ? lastTransitionTime : time,
    };
  });
}

function headReady(head: ReplicaPod | undefined): News {
  const type = 'HeadPodReady';
  if (head?.pod === undefined) {
    return { type, status: 'False', reason: 'HeadPodNotFound', message: 'There is no head pod' };
  }
  if (head.state === 'running' && isReady(head.pod)) {
    return { type, status: 'True', reason: 'HeadPodRunningAndReady', message: '' };
  }
  const { reason = 'Unknown', message = '' } = trouble(head) ?? {};
  return { type, status: 'False', reason, message };
}

/** The kubelet's reason why a container of the pod does not run. */
function trouble({ pod }: ReplicaPod): { reason?: string; message?: string } | undefined {
  const all = [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])];
  const found = all.flatMap(({ state }) => state?.waiting ?? state?.terminated ?? []);
  const [first] = found.filter(({ reason }) => reason !== undefined && reason !== 'Completed');
  const notReady = pod?.status?.conditions?.find(({ type }) => type === 'Ready');
  const { reason, message } = first ?? notReady ?? {};
  // A condition's reason has to be one word.
  return reason !== undefined && /^[A-Za-z]/.test(reason) ? { reason, ...(message && { message }) } : undefined;
}

function provisioned(isProvisioned: boolean): News {
  const type = 'RayClusterProvisioned';
  return isProvisioned
    ? {
        ...{ type, status: 'True', reason: 'AllPodRunningAndReadyFirstTime' },
        message: 'All Ray pods have been running and ready together',
      }
    : { type, status: 'False', reason: 'RayClusterPodsProvisioning', message: 'Pods of the cluster are being created' };
}

function replicaFailure({ reason, message }: JobCondition): News {
  return { type: 'ReplicaFailure', status: 'True', reason: reason ?? 'FailedCreate', message: message ?? '' };
}

/** Exactly one of the two is true; a cluster that was never suspended has neither. */
function suspension({ isSuspended, podsLeft }: ClusterState, wasSuspended: boolean): News[] {
  if (!isSuspended && !wasSuspended) return [];
  const word = (type: string, holds: boolean, message: string): News => ({
    ...{ type, status: holds ? 'True' : 'False', reason: type, message: holds ? message : '' },
  });
  return [
    word('RayClusterSuspending', isSuspended && podsLeft > 0, 'The pods of the cluster are being deleted'),
    word('RayClusterSuspended', isSuspended && podsLeft === 0, 'The cluster is suspended and has no pods'),
  ];
}
