/**
 * Tests of jobs of each kind in a queue with quota for one job. Call it in a `describe`, with a cluster that has a queue for two pods and a
 * priority class `urgent`.
 */
import { PYTORCH_JOBS, RAY_CLUSTERS, RAY_JOBS, type Pod, type Resource } from '@muster/job-api';
import { expect, it } from 'vitest';
import { key, type KueueFixture, type Workload } from './kueue-fixture.ts';
import type { QueuedKind } from './queued-kinds.ts';

export const URGENT = { labels: { 'kueue.x-k8s.io/priority-class': 'urgent' } };

export interface QueueCases {
  readonly stage: () => KueueFixture;
  readonly kinds: readonly QueuedKind[];
  /** Whether Muster creates the Workloads. */
  readonly isOwn: boolean;
  /** What the pods get from the queue's flavor. */
  readonly given?: object;
}

export function queueCases({ stage: of, kinds, isOwn, given = {} }: QueueCases): void {
  /** Whether it succeeded, or was deleted if it never ends. */
  async function toEnd(kind: QueuedKind, name: string): Promise<void> {
    const stage = of();
    await stage.end(kind, name);
    if (kind.ends === undefined) return;
    const { resource } = kind;
    await stage.until(kind, [name], async () => {
      const { status } = await stage.client.get(resource, key(name));
      return hasSucceeded(status);
    });
  }

  /** From the metric. */
  function countsAsWaiting(kind: QueuedKind, reason: string): Promise<void> {
    const resource: Resource = isOwn && kind.resource === RAY_JOBS ? RAY_CLUSTERS : kind.resource;
    return of().until(kind, [], async () => {
      expect(await of().waiting(resource)).toMatchObject({ [reason]: 1 });
      return true;
    });
  }

  /** The condition and metric of a preempted job. */
  function whyWithout({ resource }: QueuedKind, preemptor: string | undefined): { reason: string; text: RegExp } {
    if (!isOwn) return { reason: 'Suspended', text: /^True /m };
    // It is restarted on another RayCluster.
    if (resource === RAY_JOBS) return { reason: 'Queued', text: /^True Queued: /m };
    return { reason: 'Evicted', text: new RegExp(`^True Evicted: .*Preempted to .*JobUID: ${preemptor}`, 'm') };
  }

  it.each(kinds)('jobs of $resource.kind run one after the other', async (kind) => {
    const stage = of();
    const [first, second] = [`${kind.name}-a`, `${kind.name}-b`];
    await stage.create(kind, first, kind.spec);
    await stage.until(kind, [first], stage.runs(first));
    const [uid, ...others] = await stage.workloadUids(kind, first);
    expect(others).toEqual([]);
    await stage.create(kind, second, kind.spec);
    const waits = async () => {
      const [texts, uids] = [await stage.suspensionsOf(kind, second), await stage.workloadUids(kind, second)];
      return uids.length === 1 && (isOwn ? /^True Queued: .*insufficient unused quota/m : /^True /m).test(texts);
    };
    await stage.until(kind, [first, second], waits);
    await countsAsWaiting(kind, isOwn ? 'Queued' : 'Suspended');
    expect(await stage.podsOf(second)).toEqual([]);
    const [pod] = await stage.podsOf(first);
    expect(pod?.spec).toMatchObject(given);
    expect(await stage.workloadUids(kind, first)).toEqual([uid]);
    await toEnd(kind, first);
    await stage.until(kind, [first, second], stage.runs(second));
    expectStartedAfterAdmission(await stage.podsOf(second), await stage.workloadsOf(kind, second));
    // If Kueue resumes a job by its field suspend, that is the only change of the job.
    const { metadata } = await stage.client.get(kind.resource, key(second));
    expect(metadata?.generation).toBe(isOwn ? 1 : 2);
    await toEnd(kind, second);
    await stage.remove(kind, first);
    await stage.remove(kind, second);
  });

  it.each(kinds)('an urgent job preempts a $resource.kind, which continues later', async (kind) => {
    const stage = of();
    const [first, urgent] = [`${kind.name}-c`, `${kind.name}-urgent`];
    await stage.create(kind, first, kind.spec);
    await stage.until(kind, [first], stage.runs(first));
    const before = uidsOf(await stage.podsOf(first));
    await stage.until(kind, [first], async () => {
      const { status = {} } = await stage.client.get(kind.resource, key(first));
      return kind.hasBegun?.(status) ?? true;
    });
    await stage.create(kind, urgent, kind.spec, URGENT);
    const hasMadeRoom = async () => (await stage.runs(urgent)()) && (await stage.podsOf(first)).length === 0;
    await stage.until(kind, [first, urgent], hasMadeRoom);
    const [preemptor] = (await stage.queuedOf(kind, urgent)).slice(-1);
    const { reason, text } = whyWithout(kind, preemptor?.metadata?.uid);
    await stage.until(kind, [first, urgent], async () => text.test(await stage.suspensionsOf(kind, first)));
    await countsAsWaiting(kind, reason);
    await toEnd(kind, urgent);
    await stage.until(kind, [first, urgent], stage.runs(first));
    expect(uidsOf(await stage.podsOf(first)).filter((uid) => before.includes(uid))).toEqual([]);
    await toEnd(kind, first);
    await stage.remove(kind, urgent);
    await stage.remove(kind, first);
  });

  it.runIf(isOwn)('an elastic job starts with the size that fits its quota, and keeps it', async () => {
    const stage = of();
    const kind = kinds.find(({ resource }) => resource === PYTORCH_JOBS)!;
    const { Worker } = (kind.spec as { pytorchReplicaSpecs: { Worker: object } }).pytorchReplicaSpecs;
    const spec = {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4 },
      pytorchReplicaSpecs: { Worker: { ...Worker, replicas: 4 } },
    };
    await stage.create(kind, 'elastic', spec);
    await stage.until(kind, ['elastic'], stage.runs('elastic', 2));
    await toEnd(kind, 'elastic');
    const { status } = await stage.client.get(PYTORCH_JOBS, key('elastic'));
    expect(status?.replicaStatuses?.['Worker']).toMatchObject({ succeeded: 2 });
    await stage.remove(kind, 'elastic');
  });
}

/** RayJobs have Ray's states. */
function hasSucceeded(status: { state?: string; jobDeploymentStatus?: string } = {}): boolean {
  return status.state === 'Succeeded' || status.jobDeploymentStatus === 'Complete';
}

function uidsOf(pods: readonly Pod[]): (string | undefined)[] {
  return pods.map(({ metadata }) => metadata?.uid);
}

/** In whole seconds, in a sortable form. */
function expectStartedAfterAdmission(pods: readonly Pod[], [workload]: readonly Workload[]): void {
  const admitted = workload?.status?.conditions?.find(({ type, status }) => type === 'Admitted' && status === 'True');
  const started = pods.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []),
  );
  expect(started.length).toBeGreaterThanOrEqual(pods.length);
  for (const at of started) expect(at >= (admitted?.lastTransitionTime ?? '9')).toBe(true);
}
