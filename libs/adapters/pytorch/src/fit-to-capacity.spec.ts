/** Elastic PyTorchJobs in a cluster without room for all workers. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import {
  admitted,
  pytorchJobDefinition,
  type ElasticStatus,
  type JobStatus,
  type Pod,
  type PyTorchElasticPolicy,
  type PyTorchJob,
} from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const START = Date.UTC(2030, 0, 1);
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString().replace('.000Z', 'Z');

const POLICY: PyTorchElasticPolicy = {
  minReplicas: 1,
  maxReplicas: 4,
  fitToCapacity: { unschedulableSeconds: 60, retrySeconds: 300 },
};

interface Moment {
  readonly seconds: number;
  /**
   * A letter per worker, by index, as in `podsOfRoles`, and: `U`, `V`, `W` unschedulable since 0 s, since 5 s, for one
   * second; `X` preempted and being deleted, `Y` about to be deleted for a preemption, `Z` ended by its kubelet for a
   * critical pod.
   */
  readonly pods: string;
  readonly workers?: number;
  readonly policy?: PyTorchElasticPolicy;
  readonly master?: boolean;
  readonly elastic?: ElasticStatus;
  /** The workers' indexes in the status, if they have gaps. */
  readonly indexes?: string;
  readonly startDeadlineSeconds?: number;
}

function manifestOf(moment: Moment): PyTorchJob {
  const { workers = 4, policy = POLICY, master = false, elastic, indexes, pods, startDeadlineSeconds } = moment;
  const roles = { ...(master && { Master: 'R' }), Worker: '-'.repeat(workers) };
  const stored = admitted(pytorchJobDefinition, {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'mnist' },
    spec: {
      pytorchReplicaSpecs: specsOfRoles('pytorch', roles),
      elasticPolicy: policy,
      ...(startDeadlineSeconds !== undefined && { runPolicy: { startDeadlineSeconds } }),
    },
  });
  const status: JobStatus = {
    ...{ state: 'Running', startTime: at(0), ready: `${pods.length}/${pods.length}`, observedGeneration: 1 },
    ...(elastic && { elastic }),
    ...(indexes !== undefined && { replicaStatuses: { Worker: { indexes } } }),
  };
  const metadata = { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' };
  return { ...stored, metadata, status };
}

function podsOf(manifest: PyTorchJob, { pods, seconds, master = false }: Moment): Pod[] {
  const phases = {
    ...(master && { Master: 'R' }),
    Worker: pods.replaceAll(/[UVW]/g, 'P').replaceAll(/[XY]/g, 'R').replaceAll('Z', 'F'),
  };
  const unplacedSince: Record<string, number> = { U: 0, V: 5, W: seconds - 1 };
  const offset = master ? 1 : 0;
  const present = [...(master ? 'R' : ''), ...pods].filter((letter) => letter !== '-');
  return podsOfRoles(manifest, 'pytorch', phases).map((pod, index) => {
    if (index < offset) return pod;
    const letter = present[index] ?? '';
    const since = unplacedSince[letter];
    if (since !== undefined) {
      const unplaced = {
        type: 'PodScheduled',
        status: 'False' as const,
        reason: 'Unschedulable',
        lastTransitionTime: at(since),
      };
      return { ...pod, status: { ...pod.status, conditions: [unplaced] } };
    }
    if (letter === 'Z') return { ...pod, status: { ...pod.status, reason: 'Preempting' } };
    if (letter !== 'X' && letter !== 'Y') return pod;
    const preempted = { type: 'DisruptionTarget', status: 'True' as const, reason: 'PreemptionByScheduler' };
    return {
      ...pod,
      metadata: { ...pod.metadata, ...(letter === 'X' && { deletionTimestamp: at(0) }) },
      status: { ...pod.status, conditions: [preempted] },
    };
  });
}

function planAt(moment: Moment): Planned {
  const manifest = manifestOf(moment);
  const world = { ...newWorld(manifest, START + moment.seconds * 1000), pods: podsOf(manifest, moment) };
  return planned(planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
}

const namesOf = (pods: readonly Pod[]) =>
  pods.map(({ metadata }) => metadata?.name?.replace('mnist-worker-', '')).sort();

const GRANTED_2: ElasticStatus = {
  ...{ minReplicas: 1, maxReplicas: 4, wanted: 4, granted: 2, reason: 'Unschedulable' },
  ...{ message: 'as it was', lastChangeTime: at(60), nextAttemptTime: at(360) },
};
const GROWING: ElasticStatus = {
  ...{ minReplicas: 1, maxReplicas: 4, wanted: 4, granted: 2, reason: 'Growing' },
  ...{ message: 'as it was', lastChangeTime: at(360) },
};

interface Case {
  readonly what: string;
  readonly moment: Moment;
  readonly elastic: Partial<ElasticStatus>;
  readonly removed?: readonly string[];
  readonly made?: readonly string[];
  readonly events?: readonly string[];
  readonly againInSeconds?: number;
}

const CASES: readonly Case[] = [
  {
    what: 'starts with all workers',
    moment: { seconds: 0, pods: '' },
    elastic: { minReplicas: 1, maxReplicas: 4, wanted: 4, granted: 4, reason: 'AsWanted', lastChangeTime: at(0) },
    made: ['0', '1', '2', '3'],
  },
  {
    what: 'waits for the configured time',
    moment: { seconds: 20, pods: 'RRUU' },
    elastic: { granted: 4, reason: 'AsWanted' },
    againInSeconds: 40,
  },
  {
    what: 'continues with the running workers after that time',
    moment: { seconds: 60, pods: 'RRUU' },
    elastic: {
      ...{ wanted: 4, granted: 2, reason: 'Unschedulable', lastChangeTime: at(60), nextAttemptTime: at(360) },
      message: `The job runs with 2 of 4 workers, because the others are unschedulable. All are requested again at ${at(360)}.`,
    },
    removed: ['2', '3'],
    events: ['ShrunkToCapacity'],
    againInSeconds: 300,
  },
  {
    what: 'drops workers that do not run, whatever their index',
    moment: { seconds: 60, pods: 'RURR' },
    elastic: { granted: 3 },
    removed: ['1'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'never shrinks below minReplicas',
    moment: { seconds: 60, pods: 'RUUU', policy: { ...POLICY, minReplicas: 3 } },
    elastic: { granted: 3, reason: 'Unschedulable' },
    removed: ['3'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'counts a master towards minReplicas, as torchrun does',
    moment: { seconds: 60, pods: 'RUUU', policy: { ...POLICY, minReplicas: 2 }, master: true },
    elastic: { granted: 1 },
    removed: ['1', '2', '3'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'waits for worker 0, to which the others connect',
    moment: { seconds: 60, pods: 'URRR' },
    elastic: { granted: 4, reason: 'AsWanted' },
  },
  {
    what: 'lets pods wait without fitToCapacity',
    moment: { seconds: 600, pods: 'RRUU', policy: { minReplicas: 1, maxReplicas: 4 } },
    elastic: { wanted: 4, granted: 4, reason: 'AsWanted' },
  },
  {
    what: 'stays small until the next attempt is due',
    moment: { seconds: 200, pods: 'RR', elastic: GRANTED_2 },
    elastic: GRANTED_2,
    againInSeconds: 160,
  },
  {
    what: 'tries to grow to all workers when the attempt is due',
    moment: { seconds: 360, pods: 'RR', elastic: GRANTED_2 },
    elastic: { wanted: 4, granted: 2, reason: 'Growing', lastChangeTime: at(360) },
    made: ['2', '3'],
  },
  {
    what: 'tries to grow although a worker has succeeded',
    moment: { seconds: 360, pods: 'RS', master: true, elastic: GRANTED_2 },
    elastic: { wanted: 4, granted: 2, reason: 'Growing' },
    made: ['2', '3'],
  },
  {
    what: 'does not try to grow while a worker does not run',
    moment: { seconds: 360, pods: 'RP', elastic: GRANTED_2 },
    elastic: GRANTED_2,
  },
  {
    what: 'has grown when all run',
    moment: { seconds: 400, pods: 'RRRR', elastic: GROWING },
    elastic: { granted: 4, reason: 'AsWanted', lastChangeTime: at(400) },
    events: ['RestoredToRequestedSize'],
  },
  {
    what: 'emits nothing after a failed attempt, and doubles the delay of the next',
    moment: { seconds: 420, pods: 'RRUU', elastic: GROWING },
    elastic: { granted: 2, reason: 'Unschedulable', attemptsInVain: 1, nextAttemptTime: at(420 + 600) },
    removed: ['2', '3'],
    againInSeconds: 600,
  },
  {
    what: 'delays an attempt by at most an hour',
    moment: { seconds: 420, pods: 'RRUU', elastic: { ...GROWING, attemptsInVain: 9 } },
    elastic: { granted: 2, attemptsInVain: 10, nextAttemptTime: at(420 + 3600) },
    removed: ['2', '3'],
  },
  {
    what: 'keeps workers that an attempt has started',
    moment: { seconds: 420, pods: 'RRRU', elastic: { ...GROWING, attemptsInVain: 2 } },
    elastic: { granted: 3, reason: 'Unschedulable', nextAttemptTime: at(720) },
    removed: ['3'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'drops a preempted worker at once, and does not fail',
    moment: { seconds: 10, pods: 'RXRR' },
    elastic: { granted: 3, reason: 'Preempted', nextAttemptTime: at(310) },
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'drops only the preempted worker, before it is deleted',
    moment: { seconds: 10, pods: 'RYRR' },
    elastic: { granted: 3, reason: 'Preempted' },
    removed: ['1'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'drops a worker that its kubelet has ended for a critical pod',
    moment: { seconds: 10, pods: 'RZRR' },
    elastic: { granted: 3, reason: 'Preempted' },
    removed: ['1'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'drops all workers that are preempted together',
    moment: { seconds: 10, pods: 'RYRX' },
    elastic: { granted: 2, reason: 'Preempted' },
    removed: ['1'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'gives up only the worker that has waited long enough',
    moment: { seconds: 60, pods: 'RUWR' },
    elastic: { granted: 3, reason: 'Unschedulable' },
    removed: ['1'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'lets a worker wait that was recreated while another one waits',
    moment: { seconds: 59, pods: 'RRUW' },
    elastic: { granted: 4, reason: 'AsWanted' },
    againInSeconds: 1,
  },
  {
    what: 'waits five seconds for another worker that is about to exceed the limit, so that one event reports both',
    moment: { seconds: 60, pods: 'RRUV' },
    elastic: { granted: 4, reason: 'AsWanted' },
    againInSeconds: 5,
  },
  {
    what: 'gives up workers that began to wait within seconds together',
    moment: { seconds: 65, pods: 'RRUV' },
    elastic: { granted: 2, reason: 'Unschedulable' },
    removed: ['2', '3'],
    events: ['ShrunkToCapacity'],
  },
  {
    what: 'keeps a preempted worker if it cannot continue with fewer',
    moment: { seconds: 10, pods: 'RYRR', policy: { ...POLICY, minReplicas: 4 } },
    elastic: { granted: 4, reason: 'AsWanted' },
  },
  {
    what: 'recreates that worker if it cannot continue with fewer',
    moment: { seconds: 10, pods: 'RXRR', policy: { ...POLICY, minReplicas: 4 } },
    elastic: { granted: 4, reason: 'AsWanted' },
  },
  {
    what: 'follows a smaller wish at once',
    moment: { seconds: 200, pods: 'RR', workers: 2, elastic: GRANTED_2 },
    elastic: { wanted: 2, granted: 2, reason: 'AsWanted' },
  },
  {
    what: 'notes a greater wish, and keeps to its time',
    moment: { seconds: 200, pods: 'RR', workers: 3, elastic: GRANTED_2 },
    elastic: { wanted: 3, granted: 2, nextAttemptTime: at(360) },
  },
  {
    what: 'has all workers when fitToCapacity is removed',
    moment: { seconds: 200, pods: 'RR', policy: { minReplicas: 1, maxReplicas: 4 }, elastic: GRANTED_2 },
    elastic: { granted: 4, reason: 'AsWanted' },
    made: ['2', '3'],
  },
];

const NOT_OF_CAPACITY = ['PyTorchJobRunning', 'SpecWarning', 'Unschedulable'];

describe('an elastic PyTorchJob with fitToCapacity', () => {
  it.each(CASES)('$what', ({ moment, elastic, removed = [], made = [], events = [], againInSeconds }) => {
    const plan = planAt(moment);
    expect(plan.status?.elastic).toMatchObject(elastic);
    expect(namesOf(plan.remove.pods)).toEqual(removed);
    expect(namesOf(plan.create.pods)).toEqual(made);
    expect(plan.events.map(({ reason }) => reason).filter((reason) => !NOT_OF_CAPACITY.includes(reason))).toEqual(
      events,
    );
    expect(plan.status?.conditions?.some(({ type }) => type === 'Failed')).toBe(false);
    if (againInSeconds !== undefined) expect(plan.requeueAfterMs).toBe(againInSeconds * 1000);
  });

  it('drops one worker for one preemption, however many events report it', () => {
    const steps = ['RYRR', 'RXRR', 'R-RR'];
    let [elastic, indexes]: [ElasticStatus | undefined, string | undefined] = [undefined, undefined];
    const removed = new Set<string>();
    for (const pods of steps) {
      const known = { ...(elastic && { elastic }), ...(indexes !== undefined && { indexes }) };
      const plan = planAt({ seconds: 10, pods, ...known });
      elastic = plan.status?.elastic ?? elastic;
      indexes = plan.status?.replicaStatuses?.['Worker']?.indexes ?? indexes;
      namesOf(plan.remove.pods).forEach((name) => removed.add(name ?? ''));
      expect(plan.create.pods).toEqual([]);
    }
    expect([elastic?.granted, indexes, [...removed]]).toEqual([3, '0,2-3', ['1']]);
  });

  it('reports no size while it is suspended, so that its bounds may be changed', () => {
    const manifest = manifestOf({ seconds: 0, pods: '', elastic: GRANTED_2 });
    const suspended = { ...manifest, spec: { ...manifest.spec, runPolicy: { suspend: true } } };
    const world = newWorld(suspended, START);
    const { status } = planned(
      planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }),
    );
    expect(status).toMatchObject({ state: 'Suspended' });
    expect(status?.elastic).toBeUndefined();
  });

  it('keeps its initial bounds if none are given', () => {
    const began: ElasticStatus = { minReplicas: 2, maxReplicas: 2, wanted: 2, granted: 2, reason: 'AsWanted' };
    const plan = planAt({ seconds: 10, pods: 'RR', workers: 3, policy: {}, elastic: began });
    expect(plan.status?.elastic).toMatchObject({ minReplicas: 2, maxReplicas: 2, wanted: 3 });
    const env = plan.create.pods[0]?.spec?.containers[0]?.env ?? [];
    expect(env).toContainEqual({ name: 'PET_NNODES', value: '2:2' });
  });
});

describe('the start deadline of an elastic job', () => {
  const policy = { minReplicas: 2, maxReplicas: 4 };

  it.each<[string, Moment, object]>([
    [
      'is met by the minimum of workers',
      { seconds: 60, pods: 'RRPP', policy },
      { state: 'Running', minimumRunningTime: at(60) },
    ],
    [
      'is met by a Master that counts for the minimum',
      { seconds: 60, pods: 'RPPP', policy, master: true },
      { state: 'Running', minimumRunningTime: at(60) },
    ],
    [
      'is met by the workers that the cluster has capacity for',
      { seconds: 70, pods: 'RRUU' },
      { state: 'Running', minimumRunningTime: at(70) },
    ],
    [
      'ends a job with fewer workers than the minimum',
      { seconds: 60, pods: 'RPPP', policy },
      { state: 'Failed', completionTime: at(60) },
    ],
  ])('%s', (_case, moment, status) => {
    const { status: next } = planAt({ ...moment, startDeadlineSeconds: 60 });
    expect(next).toMatchObject(status);
    const failed = next?.conditions?.find(({ type }) => type === 'Failed');
    expect(failed?.reason).toBe(next?.state === 'Failed' ? 'StartDeadlineExceeded' : undefined);
  });
});
