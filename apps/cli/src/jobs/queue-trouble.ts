/** What Kueue says of a job that waits in one of its queues: the conditions of its Workload. */
import { controllerOf, type JobManifest } from '@muster/common-job-controller';
import type { JobCondition, KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';

const GROUP = 'kueue.x-k8s.io';
const QUEUE_NAME = `${GROUP}/queue-name`;

interface Workload extends KubeObject {
  readonly status?: { readonly conditions?: readonly JobCondition[] };
}

/** The queue that a job was submitted to; undefined where it names none. */
export function queueOf({ metadata }: JobManifest): string | undefined {
  return metadata?.labels?.[QUEUE_NAME];
}

/**
 * One line for each condition that keeps the job waiting, in Kueue's words. Empty where the job names no queue, its Workload is
 * admitted, or the user may not read it.
 */
export async function queueTrouble(client: KubeClient, manifest: JobManifest): Promise<string[]> {
  if (queueOf(manifest) === undefined) return [];
  const { namespace = '', uid } = manifest.metadata ?? {};
  try {
    const version = await servedVersion(client);
    if (version === undefined) return ['This cluster has no Kueue: nothing resumes it but you.'];
    const { items } = await client.list<Workload>(workloads(version), { namespace });
    const workload = items.find((each) => controllerOf(each)?.uid === uid);
    if (workload === undefined) return ['Kueue has made no Workload of it yet: it may not look after this kind.'];
    return told(workload);
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    return [];
  }
}

/** The version that the cluster would rather be asked in; undefined where Kueue is not installed. */
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

/** What a Workload that may run has, and one that was thrown out has had. */
const MISSING: readonly string[] = ['QuotaReserved', 'Admitted'];
const BEFALLEN: readonly string[] = ['Evicted', 'Preempted'];

function told({ metadata, status: { conditions = [] } = {} }: Workload): string[] {
  if (conditions.some(({ type, status }) => type === 'Admitted' && status === 'True')) return [];
  const open = conditions.filter(
    ({ type, status }) =>
      (MISSING.includes(type) && status === 'False') || (BEFALLEN.includes(type) && status === 'True'),
  );
  // Admission follows from the quota: without that there is nothing else to say of it.
  const hasQuota = conditions.some(({ type, status }) => type === 'QuotaReserved' && status === 'True');
  const shown = open.filter(({ type }) => type !== 'Admitted' || hasQuota);
  if (shown.length === 0) return [`Workload ${metadata?.name}: Kueue has not decided yet.`];
  return shown.map(({ type, status, reason, message = '' }) => {
    const what = status === 'True' ? type : `not ${type}`;
    return `Workload ${metadata?.name}: ${what}${reason ? ` (${reason})` : ''}${message === '' ? '' : `: ${message}`}`;
  });
}
