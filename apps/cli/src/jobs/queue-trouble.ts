/** Why Kueue does not admit a job: the conditions of its Workload. */
import { controllerOf, type JobManifest } from '@muster/common-job-controller';
import type { JobCondition, KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';

const GROUP = 'kueue.x-k8s.io';
const QUEUE_NAME = `${GROUP}/queue-name`;

interface Workload extends KubeObject {
  readonly status?: { readonly conditions?: readonly JobCondition[] };
}

export const KUEUE_MISSING = 'Kueue is not installed in this cluster: the job stays suspended until you resume it.';

/** The LocalQueue of a job; undefined if it has none. */
export function queueOf({ metadata }: JobManifest): string | undefined {
  return metadata?.labels?.[QUEUE_NAME];
}

/**
 * One line with Kueue's message for each condition that blocks the job. Empty if the job has no queue, its Workload is admitted,
 * or the user may not read it.
 */
export async function queueProblem(client: KubeClient, manifest: JobManifest): Promise<string[]> {
  if (queueOf(manifest) === undefined) return [];
  const { namespace = '', uid } = manifest.metadata ?? {};
  try {
    const version = await servedVersion(client);
    if (version === undefined) return [KUEUE_MISSING];
    const { items } = await client.list<Workload>(workloads(version), { namespace });
    const workload = items.find((each) => controllerOf(each)?.uid === uid);
    if (workload === undefined) return ['Kueue has not created a Workload for the job: it may not manage this kind.'];
    return blockingConditions(workload);
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    return [];
  }
}

/** The preferred version of Kueue's API; undefined if Kueue is not installed. */
async function servedVersion(client: KubeClient): Promise<string | undefined> {
  try {
    const group = await client.raw<{ preferredVersion?: { version: string } }>(`/apis/${GROUP}`);
    return group.preferredVersion?.version;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function workloads(version: string): Resource<Workload> {
  return { group: GROUP, version, kind: 'Workload', plural: 'workloads', namespaced: true };
}

/** Conditions that an admitted Workload needs. */
const REQUIRED: readonly string[] = ['QuotaReserved', 'Admitted'];

/** Conditions of a Workload that was stopped. */
const STOPPED: readonly string[] = ['Evicted', 'Preempted'];

function blockingConditions({ metadata, status: { conditions = [] } = {} }: Workload): string[] {
  if (conditions.some(({ type, status }) => type === 'Admitted' && status === 'True')) return [];
  const open = conditions.filter(
    ({ type, status }) =>
      (REQUIRED.includes(type) && status === 'False') || (STOPPED.includes(type) && status === 'True'),
  );
  // Without reserved quota, the missing admission is not reported separately.
  const hasQuota = conditions.some(({ type, status }) => type === 'QuotaReserved' && status === 'True');
  const shown = open.filter(({ type }) => type !== 'Admitted' || hasQuota);
  if (shown.length === 0) return [`Workload ${metadata?.name}: Kueue has not set a condition yet.`];
  return shown.map(({ type, status, reason, message = '' }) => {
    const what = status === 'True' ? type : `not ${type}`;
    return `Workload ${metadata?.name}: ${what}${reason ? ` (${reason})` : ''}${message === '' ? '' : `: ${message}`}`;
  });
}
