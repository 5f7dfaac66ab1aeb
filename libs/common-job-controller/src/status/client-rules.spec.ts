/** Third-party clients interpret a job's status by their own rules: see `clients` in `@muster/testing`. */
import type { JobStatus } from '@muster/job-api';
import { flytePhase, misread } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { at } from '../../test-support/plain-pod.ts';
import { planOf, statusAfter, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';

const UNSCHEDULABLE = { phase: 'Pending', unplaced: '0/3 nodes are available' } as const;
const REFUSED: PlainWorld['writeFailures'] = [
  {
    ...{ verb: 'Create', kind: 'Pod', names: new Set(['job-worker-1']), generation: 1, waitMs: 1000 },
    ...{ reason: 'FailedCreate', message: 'exceeded quota', isOptional: false },
  },
];

const LIVES: readonly [string, readonly PlainWorld[], string][] = [
  ['is new', [{}], 'Created'],
  ['waits for a node', [{}, { pods: [UNSCHEDULABLE], now: 5 }], 'Created'],
  ['waits for a node in the first run', [{ pods: [UNSCHEDULABLE] }], 'Created'],
  ['waits for its quota', [{}, { writeFailures: REFUSED, now: 1 }], 'Created'],
  ['runs within the second in which it was created', [{}, { pods: [{}] }], 'Running'],
  ['runs in the first run', [{ pods: [{}] }], 'Running'],
  ['runs under an operator whose clock is behind', [{ now: -60 }, { pods: [{}], now: -50 }], 'Running'],
  [
    'runs while one worker waits for a node',
    [
      { workers: 2, pods: [{}, { index: 1 }], now: 1 },
      { workers: 2, pods: [{}, { index: 1, ...UNSCHEDULABLE }], now: 90 },
    ],
    'Running',
  ],
  [
    'runs while a container keeps failing',
    [
      { workers: 2, pods: [{}, { index: 1 }], now: 1 },
      { workers: 2, pods: [{}, { index: 1, waits: 'CrashLoopBackOff', restarts: 4, exitBefore: 1 }], now: 90 },
    ],
    'Running',
  ],
  [
    'runs while one worker is refused',
    [
      { workers: 2, pods: [{}, { index: 1 }], now: 1 },
      { workers: 2, pods: [{}], writeFailures: REFUSED, now: 90 },
    ],
    'Running',
  ],
  [
    'restarts and waits for a node',
    [
      { pods: [{}], now: 1 },
      { pods: [{ phase: 'Failed', exit: 137 }], now: 2 },
      { pods: [{ ...UNSCHEDULABLE, uid: 'b' }], now: 9 },
    ],
    'Restarting',
  ],
  [
    'replaces a failed worker while another runs',
    [
      { workers: 2, pods: [{}, { index: 1 }], now: 1 },
      { workers: 2, pods: [{}, { index: 1, phase: 'Failed', exit: 137 }], now: 2 },
    ],
    'Restarting',
  ],
  [
    'delays the replacement of a worker that fails repeatedly',
    [
      { pods: [{ failures: 5 }], now: 1 },
      { pods: [{ failures: 5, phase: 'Failed', exit: 137 }], now: 2 },
      { pods: [{ failures: 5, phase: 'Failed', exit: 137 }], now: 3 },
    ],
    'Restarting',
  ],
  [
    'replaces a worker that was evicted',
    [
      { pods: [{}], now: 1 },
      { pods: [{ phase: 'Failed', reason: 'Evicted', disrupted: true }], now: 2 },
    ],
    'Restarting',
  ],
  ['is suspended before it starts', [{ runPolicy: { suspend: true } }], 'Suspended'],
  ['is suspended while it runs', [{ pods: [{}] }, { pods: [{}], runPolicy: { suspend: true } }], 'Suspended'],
  ['is resumed', [{ runPolicy: { suspend: true } }, { now: 60 }], 'Created'],
  ['is resumed and runs', [{ runPolicy: { suspend: true } }, {}, { pods: [{}] }], 'Running'],
  ['succeeds at once', [{ pods: [{}] }, { pods: [{ phase: 'Succeeded', exit: 0 }] }], 'Succeeded'],
  ['fails at once', [{ pods: [{}] }, { pods: [{ phase: 'Failed', exit: 1 }] }], 'Failed'],
  ['cannot be run', [{ problems: [{ path: 'spec', message: 'is bad' }] }], 'Failed'],
  [
    'cannot be run and is suspended',
    [{ runPolicy: { suspend: true } }, { generation: 2, problems: [{ path: 'spec', message: 'is bad' }] }],
    'Failed',
  ],
  [
    'is corrected after it could not be run',
    [{ problems: [{ path: 'spec', message: 'is bad' }] }, { generation: 2, now: 90 }],
    'Created',
  ],
  [
    'was started by another operator, which dates Created and Running alike',
    [{ status: ofKubeflow(), pods: [{}], now: 500 }],
    'Running',
  ],
  [
    'waits since a release that dated Waiting by the clock',
    [{ status: ofEarlierRelease(), pods: [UNSCHEDULABLE], now: 500 }],
    'Created',
  ],
];

function condition(type: string, seconds: number, reason = `PlainJob${type}`) {
  const time = at(seconds);
  return { type, status: 'True', reason, message: type, lastUpdateTime: time, lastTransitionTime: time } as const;
}

function ofKubeflow(): JobStatus {
  return { conditions: [condition('Created', 3), condition('Running', 3)], startTime: at(3) };
}

function ofEarlierRelease(): JobStatus {
  const conditions = [condition('Waiting', 9, 'Unschedulable'), condition('Created', 1)];
  return { conditions, startTime: at(1), state: 'Created', observedGeneration: 1 };
}

describe('the status of a job that', () => {
  it.each(LIVES)('%s is interpreted correctly by Flyte, Katib and Argo Workflows', (_name, worlds, state) => {
    const status = statusAfter(...worlds);
    expect(status.state).toBe(state);
    const { manifest } = worldOf({ ...worlds.at(-1), status });
    expect(misread(manifest)).toEqual([]);
  });
});

describe('the counts of a finished job, by which Argo Workflows decides', () => {
  const roles = [
    { name: 'Master', replicas: 1 },
    { name: 'Worker', replicas: 2 },
  ];
  const ran = { roles, pods: [{ role: 'master' }, { index: 0 }, { index: 1 }] };
  const ended = (exit: number) => ({ role: 'master', phase: exit === 0 ? 'Succeeded' : 'Failed', exit }) as const;

  it.each<['' | 'None' | 'Running' | 'All', number, object]>([
    ['', 0, { Master: { succeeded: 1 }, Worker: { succeeded: 2 } }],
    ['None', 0, { Master: { succeeded: 1 }, Worker: { succeeded: 2 } }],
    ['Running', 0, { Master: { succeeded: 1 }, Worker: { succeeded: 2 } }],
    ['All', 0, { Master: { succeeded: 1 }, Worker: { succeeded: 2 } }],
    ['Running', 1, { Master: { failed: 1 }, Worker: {} }],
    ['All', 1, { Master: { failed: 1 }, Worker: {} }],
  ])(
    'are final in the last status write, with cleanPodPolicy %j and exit code %i, and stay when the pods are gone',
    (policy, exit, counts) => {
      const runPolicy = { cleanPodPolicy: policy };
      const end = { ...ran, runPolicy, pods: [ended(exit), ...ran.pods.slice(1)], now: 9 };
      const status = statusAfter({ ...ran, runPolicy }, end);
      const shown = Object.entries(status.replicaStatuses ?? {}).map(
        ([role, { active, succeeded, failed }]) => [role, { active, succeeded, failed }] as const,
      );
      expect(Object.fromEntries(shown)).toEqual(counts);
      for (const pods of [end.pods, end.pods.slice(0, 1), []])
        expect(planOf({ ...end, status, pods, now: 60 }).status).toBeUndefined();
    },
  );
});

describe('flytePhase', () => {
  const spec = { runPolicy: {} };
  const metadata = { creationTimestamp: at(0) };
  const phaseOf = (status: JobStatus, seconds = 0) => flytePhase({ metadata, spec, status }, Date.parse(at(seconds)));

  it.each<[string, ReturnType<typeof phaseOf>, string]>([
    ['queues a job without a status', phaseOf({}), 'Queued'],
    ['fails a job that no operator has reconciled for a minute', phaseOf({}, 61), 'Error'],
    ['cannot order two conditions of the same second', phaseOf(ofKubeflow()), 'Ambiguous'],
    ['recognises only Kubeflow’s conditions', phaseOf(ofEarlierRelease()), 'Undefined'],
    [
      'orders conditions by time, not by position',
      phaseOf({ startTime: at(0), conditions: [condition('Running', 9), condition('Created', 1)] }),
      'Running',
    ],
  ])('%s', (_name, phase, expected) => {
    expect(phase).toBe(expected);
  });
});
