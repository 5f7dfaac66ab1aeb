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
  readonly fixture: () => KueueFixture;
  readonly kinds: readonly QueuedKind[];
  /** Whether Muster creates the Workloads. */
  readonly isOwn: boolean;
  /** What the pods get from the queue's flavor. */
  readonly given?: object;
}

export function queueCases({ fixture: of, kinds, isOwn, given = {} }: QueueCases): void {
  /** Whether it succeeded, or was deleted if it never ends. */
  async function toEnd(kind: QueuedKind, name: string): Promise<void> {
    const fixture = of();
    await fixture.end(kind, name);
    if (kind.ends === undefined) return;
    const { resource } = kind;
    await fixture.until(kind, [name], async () => {
      const { status } = await fixture.client.get(resource, key(name));
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
    const fixture = of();
    const [first, second] = [`${kind.name}-a`, `${kind.name}-b`];
    await fixture.create(kind, first, kind.spec);
    await fixture.until(kind, [first], fixture.runs(first));
    const [uid, ...others] = await fixture.workloadUids(kind, first);
    expect(others).toEqual([]);
    await fixture.create(kind, second, kind.spec);
    const waits = async () => {
      const [texts, uids] = [await fixture.suspensionsOf(kind, second), await fixture.workloadUids(kind, second)];
      return uids.length === 1 && (isOwn ? /^True Queued: .*insufficient unused quota/m : /^True /m).test(texts);
    };
    await fixture.until(kind, [first, second], waits);
    await countsAsWaiting(kind, isOwn ? 'Queued' : 'Suspended');
    expect(await fixture.podsOf(second)).toEqual([]);
    const [pod] = await fixture.podsOf(first);
    expect(pod?.spec).toMatchObject(given);
    expect(await fixture.workloadUids(kind, first)).toEqual([uid]);
    await toEnd(kind, first);
    await fixture.until(kind, [first, second], fixture.runs(second));
    expectStartedAfterAdmission(await fixture.podsOf(second), await fixture.workloadsOf(kind, second));
    // If Kueue resumes a job by its field suspend, that is the only change of the job.
    const { metadata } = await fixture.client.get(kind.resource, key(second));
    expect(metadata?.generation).toBe(isOwn ? 1 : 2);
    await toEnd(kind, second);
    await fixture.remove(kind, first);
    await fixture.remove(kind, second);
  });

  it.each(kinds)('an urgent job preempts a $resource.kind, which continues later', async (kind) => {
    const fixture = of();
    const [first, urgent] = [`${kind.name}-c`, `${kind.name}-urgent`];
    await fixture.create(kind, first, kind.spec);
    await fixture.until(kind, [first], fixture.runs(first));
    const before = uidsOf(await fixture.podsOf(first));
    await fixture.until(kind, [first], async () => {
      const { status = {} } = await fixture.client.get(kind.resource, key(first));
      return kind.hasBegun?.(status) ?? true;
    });
    await fixture.create(kind, urgent, kind.spec, URGENT);
    const hasMadeRoom = async () => (await fixture.runs(urgent)()) && (await fixture.podsOf(first)).length === 0;
    await fixture.until(kind, [first, urgent], hasMadeRoom);
    const [preemptor] = (await fixture.queuedOf(kind, urgent)).slice(-1);
    const { reason, text } = whyWithout(kind, preemptor?.metadata?.uid);
    await fixture.until(kind, [first, urgent], async () => text.test(await fixture.suspensionsOf(kind, first)));
    await countsAsWaiting(kind, reason);
    await toEnd(kind, urgent);
    await fixture.until(kind, [first, urgent], fixture.runs(first));
    expect(uidsOf(await fixture.podsOf(first)).filter((uid) => before.includes(uid))).toEqual([]);
    await toEnd(kind, first);
    await fixture.remove(kind, urgent);
    await fixture.remove(kind, first);
  });

  it.runIf(isOwn)('an elastic job starts with the size that fits its quota, and keeps it', async () => {
    const fixture = of();
    const kind = kinds.find(({ resource }) => resource === PYTORCH_JOBS)!;
    const { Worker } = (kind.spec as { pytorchReplicaSpecs: { Worker: object } }).pytorchReplicaSpecs;
    const spec = {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4 },
      pytorchReplicaSpecs: { Worker: { ...Worker, replicas: 4 } },
    };
    await fixture.create(kind, 'elastic', spec);
    await fixture.until(kind, ['elastic'], fixture.runs('elastic', 2));
    await toEnd(kind, 'elastic');
    const { status } = await fixture.client.get(PYTORCH_JOBS, key('elastic'));
    expect(status?.replicaStatuses?.['Worker']).toMatchObject({ succeeded: 2 });
    await fixture.remove(kind, 'elastic');
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
