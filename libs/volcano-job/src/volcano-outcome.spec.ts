import { readJob, type RoleTally } from '@muster/common-job-controller';
import type { JobStatus, Pod, VolcanoEvent, VolcanoJob, VolcanoTaskSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { PLAIN_PLUGIN, volcanoJob } from '../test-support/volcano-jobs.ts';
import type { VolcanoTrainingJob } from './model/read-volcano-job.ts';
import { volcanoJobAdapter } from './volcano-job-adapter.ts';

const ADAPTER = volcanoJobAdapter(PLAIN_PLUGIN);
const NOW_MS = Date.parse('2030-01-01T12:00:00Z');

type Counts = Partial<Pick<RoleTally, 'running' | 'succeeded' | 'failed'>>;
type Spec = Partial<VolcanoJob['spec']>;

interface Case {
  readonly spec?: Spec;
  readonly tasks?: Record<string, Partial<VolcanoTaskSpec>>;
  readonly tallies: Record<string, Counts>;
  readonly pods?: readonly Pod[];
  readonly status?: object;
  /** How long the operator has observed the pods in their state. */
  readonly seenMs?: number;
  /** Offset of the operator's clock from the cluster's. */
  readonly aheadMs?: number;
}

const TWO_TASKS = { ps: { replicas: 1 }, worker: { replicas: 2 } };

function outcomeOf({ spec = {}, tasks = TWO_TASKS, tallies, pods = [], status = {}, seenMs = 0, aheadMs = 0 }: Case) {
  const manifest = { ...volcanoJob(spec, tasks), status: { muster: status as JobStatus } };
  const job = readJob(ADAPTER, manifest) as VolcanoTrainingJob;
  const all = job.roles.map((role) => {
    const { running = 0, succeeded = 0, failed = 0 } = tallies[role.name] ?? {};
    return { role, running, succeeded, failed, ready: running, hasFirstSucceeded: succeeded > 0 };
  });
  return ADAPTER.outcome(job, all, {
    ...{ pods, ownedResources: [], references: [], probeResults: new Map() },
    ...{ stateAges: agesOf(manifest, pods, seenMs), nowMs: NOW_MS + aheadMs },
  });
}

function agesOf(manifest: VolcanoJob, pods: readonly Pod[], seenMs: number): ReadonlyMap<string, number> {
  return new Map(agingStates(manifest, pods).map((state) => [state, seenMs]));
}

function agingStates(manifest: VolcanoJob, pods: readonly Pod[]): readonly string[] {
  return ADAPTER.agingStates?.(manifest, pods, { ownedResources: [], references: [] }) ?? [];
}

function failedPod(task: string, exitCode: number, index = 0): Pod {
  return {
    metadata: {
      name: `pi-${task}-${index}`,
      uid: `${task}-${index}`,
      labels: { 'volcano.sh/task-spec': task, 'volcano.sh/task-index': `${index}` },
      ownerReferences: [
        { apiVersion: '', kind: 'Job', name: 'pi', uid: '11111111-2222-3333-4444-555555555555', controller: true },
      ],
    },
    status: {
      phase: 'Failed',
      containerStatuses: [
        { name: 'main', state: { terminated: { exitCode } }, image: '', imageID: '', ready: false, restartCount: 0 },
      ],
    },
  };
}

function aMinuteAgo(pod: Pod, phase: 'Failed' | 'Pending' = 'Failed'): Pod {
  const time = '2030-01-01T11:59:00Z';
  const [status] = pod.status?.containerStatuses ?? [];
  const terminated = { exitCode: 1, finishedAt: time };
  const containerStatuses = phase === 'Failed' && status ? [{ ...status, state: { terminated } }] : [];
  return { metadata: { ...pod.metadata, creationTimestamp: time }, status: { phase, containerStatuses } };
}

/** A minute ago by the cluster's clock. */
function succeededPod(index: number): Pod {
  const pod = aMinuteAgo(failedPod('worker', 0, index));
  return { ...pod, status: { ...pod.status, phase: 'Succeeded', containerStatuses: [] } };
}

function leaving(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2030-01-01T12:00:00Z' } };
}

function evicted(pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'DisruptionTarget', status: 'True' }] } };
}

describe('a Job', () => {
  it.each<[what: string, phase: string, given: Case]>([
    ['is pending while it has no pods', 'Pending', { tallies: {} }],
    ['is pending with fewer pods than it needs', 'Pending', { tallies: { worker: { running: 2 } } }],
    ['runs when all its pods run', 'Running', { tallies: { ps: { running: 1 }, worker: { running: 2 } } }],
    ['runs with as many as it needs', 'Running', { spec: { minAvailable: 2 }, tallies: { worker: { running: 2 } } }],
    [
      'runs with as many as its tasks need',
      'Running',
      { tasks: { worker: { replicas: 3, minAvailable: 1 } }, tallies: { worker: { running: 1 } } },
    ],
    ['is completed with its deciding task', 'Succeeded', { tallies: { ps: { running: 1 }, worker: { succeeded: 2 } } }],
    [
      'runs while a pod of its deciding task runs',
      'Running',
      { tallies: { ps: { running: 1 }, worker: { succeeded: 1, running: 1 } } },
    ],
    [
      "prefers a task's policy to the Job's",
      'Failed',
      {
        spec: { policies: [{ event: 'TaskCompleted', action: 'TerminateJob' }] },
        tallies: { ps: { running: 1 }, worker: { succeeded: 2 } },
      },
    ],
    [
      'is completed with a task whose policy completes the Job',
      'Succeeded',
      {
        tasks: {
          ps: { replicas: 1, policies: [{ event: 'TaskCompleted', action: 'CompleteJob' }] },
          worker: { replicas: 2 },
        },
        tallies: { ps: { succeeded: 1 }, worker: { running: 2 } },
      },
    ],
    [
      'is completed with minSuccess succeeded pods',
      'Succeeded',
      { spec: { minSuccess: 1 }, tallies: { ps: { succeeded: 1 }, worker: { running: 2 } } },
    ],
    [
      'has failed when all pods have ended and a task lacks successes',
      'Failed',
      { tallies: { ps: { succeeded: 1 }, worker: { succeeded: 1, failed: 1 } } },
    ],
    [
      'is completed when all pods have ended and enough have succeeded',
      'Succeeded',
      { spec: { minAvailable: 2 }, tallies: { ps: { succeeded: 1 }, worker: { succeeded: 1, failed: 1 } } },
    ],
    [
      'continues after a failure without a matching policy',
      'Running',
      { tallies: { ps: { running: 1 }, worker: { running: 1, failed: 1 } }, pods: [failedPod('worker', 1)] },
    ],
    [
      'ends by the policy of a failure',
      'Failed',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 1, failed: 1 } },
        pods: [failedPod('worker', 1)],
      },
    ],
    [
      'ends by the policy of an exit code',
      'Succeeded',
      {
        spec: { policies: [{ exitCode: 42, action: 'CompleteJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 1, failed: 1 } },
        pods: [failedPod('worker', 42)],
      },
    ],
    [
      'continues when a pod fails that is being deleted',
      'Running',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        pods: [leaving(failedPod('worker', 143))],
      },
    ],
    [
      'continues after a failure of the previous attempt',
      'Running',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        pods: [failedPod('worker', 1)],
        status: { attempt: 1 },
      },
    ],
    [
      'continues when the cluster evicts a pod',
      'Running',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        pods: [evicted(failedPod('worker', 137))],
      },
    ],
    [
      'ends when the cluster evicts a pod and a policy ends the Job',
      'Failed',
      {
        spec: { policies: [{ event: 'PodEvicted', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        pods: [evicted(failedPod('worker', 137))],
      },
    ],
    [
      'ends when a pod is drained and a policy for PodEvicted ends the Job',
      'Failed',
      {
        spec: { policies: [{ event: 'PodEvicted', action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 1 } },
        pods: [leaving(evicted(failedPod('worker', 143)))],
      },
    ],
    [
      'continues when a drained pod has ended with an exit code that a policy names',
      'Running',
      {
        spec: { policies: [{ exitCode: 143, action: 'AbortJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        pods: [leaving(evicted(failedPod('worker', 143)))],
      },
    ],
    [
      'is completed with its deciding task though a policy restarts it upon every event',
      'Succeeded',
      {
        spec: { policies: [{ event: '*', action: 'RestartJob' }] },
        tallies: { ps: { running: 1 }, worker: { succeeded: 2 } },
      },
    ],
    [
      'continues after an exit code without a matching policy',
      'Running',
      {
        spec: { policies: [{ exitCode: 42, action: 'CompleteJob' }] },
        tallies: { ps: { running: 1 }, worker: { running: 1, failed: 1 } },
        pods: [failedPod('worker', 41)],
      },
    ],
    [
      'is restarted upon a command',
      'Restarting',
      { tallies: { worker: { succeeded: 2 } }, status: { attempt: 1, restartAfter: 1 } },
    ],
    [
      'runs after a restart upon a command',
      'Running',
      { tallies: { ps: { running: 1 }, worker: { running: 2 } }, status: { attempt: 2, restartAfter: 1 } },
    ],
    [
      'has failed when the restart of two tasks would exceed maxRetry',
      'Failed',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'RestartTask' }], maxRetry: 2 },
        tallies: { ps: { failed: 1 }, worker: { running: 1, failed: 1 } },
        pods: [failedPod('worker', 1), failedPod('ps', 1)],
      },
    ],
    [
      'has failed when another restart would exceed maxRetry',
      'Failed',
      {
        spec: { policies: [{ event: 'PodFailed', action: 'RestartJob' }], maxRetry: 1 },
        tallies: { ps: { running: 1 }, worker: { running: 1, failed: 1 } },
        pods: [failedPod('worker', 1)],
      },
    ],
    [
      'runs after two restarts',
      'Running',
      {
        tallies: { ps: { running: 1 }, worker: { running: 2 } },
        status: { attempt: 1, replicaStatuses: { worker: { attempt: 1 } } },
      },
    ],
    [
      'has failed with the third restart',
      'Failed',
      { tallies: { ps: { running: 1 }, worker: { running: 2 } }, status: { attempt: 3 } },
    ],
    [
      'has failed with as many restarts as it allows',
      'Failed',
      { spec: { maxRetry: 1 }, tallies: { ps: { running: 1 }, worker: { running: 2 } }, status: { attempt: 1 } },
    ],
  ])('%s', (_what, phase, given) => {
    expect(outcomeOf(given).phase).toBe(phase);
  });

  it('does not end before the timeout of a policy when all pods have ended', () => {
    const given = {
      spec: { policies: [{ event: 'PodFailed', action: 'RestartJob', timeout: '2m' }] } satisfies Spec,
      tasks: { worker: { replicas: 1 } },
      tallies: { worker: { failed: 1 } },
      pods: [aMinuteAgo(failedPod('worker', 1))],
      seenMs: 60_000,
    };
    expect(outcomeOf(given)).toMatchObject({ phase: 'Running', recheckAfterMs: 60_000 });
  });
});

const ABORTED = { phase: 'Failed', reason: 'JobAborted' };

describe.each([-300, 0, 300])('the timeout of a policy, with an operator clock that is %d s ahead,', (ahead) => {
  const aheadMs = ahead * 1000;
  const failed = () => aMinuteAgo(failedPod('worker', 1));

  it.each<[event: VolcanoEvent, pod: Pod]>([
    ['PodFailed', failed()],
    ['PodPending', aMinuteAgo(failedPod('worker', 1), 'Pending')],
    ['PodEvicted', evicted(failed())],
    ['PodEvicted', leaving(evicted(failed()))],
    ['*', failed()],
  ])('counts from the first observation of %s', (event, pod) => {
    const policies = [{ event, action: 'AbortJob' as const, timeout: '2m' }];
    const tallies = { ps: { running: 1 }, worker: { running: 1 } };
    const after = (seenMs: number) => outcomeOf({ spec: { policies }, tallies, pods: [pod], seenMs, aheadMs });
    expect(after(0)).toEqual({ phase: 'Pending', recheckAfterMs: 120_000 });
    expect(after(118_500)).toEqual({ phase: 'Pending', recheckAfterMs: 1500 });
    expect(after(120_000)).toMatchObject(ABORTED);
  });

  it('counts from the first observation of a failure with an exit code', () => {
    const policies = [{ exitCode: 1, action: 'AbortJob' as const, timeout: '2m' }];
    const tallies = { ps: { running: 1 }, worker: { running: 1 } };
    const after = (seenMs: number) => outcomeOf({ spec: { policies }, tallies, pods: [failed()], seenMs, aheadMs });
    expect(after(119_999)).toEqual({ phase: 'Pending', recheckAfterMs: 1 });
    expect(after(120_000)).toMatchObject(ABORTED);
  });

  it.each<[which: string, pods: readonly Pod[]]>([
    ['which exist', [succeededPod(0), succeededPod(1)]],
    ['one of which is deleted', [succeededPod(0)]],
    ['which are deleted', []],
  ])('counts from the first observation of the end of the last pod of a task %s', (_which, pods) => {
    const policies = [{ event: 'TaskCompleted' as const, action: 'AbortJob' as const, timeout: '2m' }];
    const tallies = { ps: { running: 1 }, worker: { succeeded: 2 } };
    const after = (seenMs: number) => outcomeOf({ spec: { policies }, tallies, pods, seenMs, aheadMs });
    expect(after(0)).toMatchObject({ phase: 'Running', recheckAfterMs: 120_000 });
    expect(after(119_000)).toMatchObject({ phase: 'Running', recheckAfterMs: 1000 });
    expect(after(120_000)).toMatchObject(ABORTED);
  });

  it('continues when the pod of a completed task is deleted', () => {
    const policies = [{ event: 'TaskCompleted' as const, action: 'AbortJob' as const, timeout: '2m' }];
    const manifest = volcanoJob({ policies });
    const statesOf = (pods: readonly Pod[]) => agingStates(manifest, pods).toSorted();
    expect(statesOf([succeededPod(1)])).toEqual(statesOf([succeededPod(0), succeededPod(1)]));
    expect(statesOf([failed(), succeededPod(1)])).not.toEqual(statesOf([succeededPod(1)]));
  });

  it.each<[event: 'PodFailed' | 'PodPending' | 'PodEvicted', pod: Pod]>([
    ['PodFailed', failed()],
    ['PodPending', aMinuteAgo(failedPod('worker', 1), 'Pending')],
    ['PodEvicted', leaving(evicted(failed()))],
  ])('delays the restart upon %s until the operator has observed it for that time', (event, pod) => {
    const policies = [{ event, action: 'RestartTask' as const, timeout: '2m' }];
    const manifest = volcanoJob({ policies });
    const job = readJob(ADAPTER, manifest) as VolcanoTrainingJob;
    const scopeAfter = (seenMs: number) => {
      const state = ({ PodFailed: 'failed', PodPending: 'pending', PodEvicted: 'terminating' } as const)[event];
      const replica = { role: job.roles[0]!, index: 0, state, pod };
      const ages = agesOf(manifest, [pod], seenMs);
      const { failures } = ADAPTER;
      return event === 'PodPending'
        ? failures?.scopeOfOther?.(job, replica, ages, [replica])
        : failures?.scopeOf(job, replica, ages);
    };
    expect(scopeAfter(0)).toBeUndefined();
    expect(scopeAfter(119_999)).toBeUndefined();
    expect(scopeAfter(120_000)).toBe('Role');
  });
});

describe('the aging states of a Job', () => {
  it('are empty if no policy has a timeout', () => {
    const policies = [{ event: 'PodFailed' as const, action: 'AbortJob' as const }];
    expect(agingStates(volcanoJob({ policies }), [failedPod('worker', 1)])).toEqual([]);
  });

  it('are empty for a Job with problems', () => {
    const spec = { policies: [{ event: 'PodFailed', action: 'AbortJob', timeout: '1s' }], tasks: undefined } as object;
    expect(agingStates(volcanoJob(spec), [failedPod('worker', 1)])).toEqual([]);
  });

  it.each<[what: string, manifest: object]>([
    ['without a spec', { metadata: { name: 'pi' } }],
    ['whose tasks are not a list', { spec: { tasks: { worker: {} } } }],
    ['with a task that is null', { spec: { tasks: [null], policies: [{ event: '*', timeout: '1s' }] } }],
    ['with a policy that is null', { spec: { tasks: [{ policies: [null] }] } }],
    ['whose policies are not a list', { spec: { policies: 'none' } }],
  ])('are empty for a Job %s', (_what, manifest) => {
    expect(agingStates(manifest as VolcanoJob, [failedPod('worker', 1)])).toEqual([]);
  });

  it('differ by pod and event', () => {
    const policies = [{ event: 'PodFailed' as const, action: 'AbortJob' as const, timeout: '1m' }];
    const pod = failedPod('worker', 1);
    const all = [pod, failedPod('worker', 1, 1), aMinuteAgo(pod, 'Pending'), evicted(pod), succeededPod(0)];
    const states = all.map((each) => agingStates(volcanoJob({ policies }), [each]).join());
    expect(new Set(states).size).toBe(5);
  });
});
