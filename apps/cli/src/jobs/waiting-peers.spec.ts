import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { jobView } from './job-view.ts';
import { waitingPeers } from './waiting-peers.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

/** For a job of three workers: the restarts of each, and the minute of its last start. */
function findingOf(replicas: readonly [restarts: number, minute: number][], spec: object = {}, status: object = {}) {
  if (kind === undefined) throw new Error('PyTorchJob is no kind');
  const roles = { Worker: 'R'.repeat(replicas.length) };
  const manifest = {
    ...{
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: { name: 'mnist', namespace: 'team', uid: 'uid' },
    },
    spec: { pytorchReplicaSpecs: specsOfRoles('pytorch', roles), ...spec },
    status: { state: 'Running', ...status },
  };
  const pods = podsOfRoles(manifest, 'pytorch', roles).map((pod, index) => {
    const [restartCount, minute] = replicas[index] ?? [0, 0];
    const running = { startedAt: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z` };
    const container = { name: 'pytorch', image: '', imageID: '', ready: true, restartCount, state: { running } };
    return { ...pod, status: { phase: 'Running', containerStatuses: [container] } };
  });
  return waitingPeers(jobView(kind, manifest, pods)).map(({ title }) => title);
}

const WAIT = 'The other replicas may wait for worker-1, which has restarted once since they started.';

it.each<[string, [number, number][], object, object, string[]]>([
  [
    'one restarted, and the others keep running',
    [
      [0, 1],
      [1, 3],
      [0, 1],
    ],
    {},
    {},
    [WAIT],
  ],
  [
    'none restarted',
    [
      [0, 1],
      [0, 3],
      [0, 1],
    ],
    {},
    {},
    [],
  ],
  [
    'all restarted, as connected ranks do',
    [
      [1, 3],
      [1, 3],
      [1, 2],
    ],
    {},
    {},
    [],
  ],
  [
    'the others started later',
    [
      [0, 5],
      [1, 3],
      [0, 5],
    ],
    {},
    {},
    [],
  ],
  [
    'the job is elastic',
    [
      [0, 1],
      [1, 3],
      [0, 1],
    ],
    { elasticPolicy: { minReplicas: 1, maxReplicas: 3 } },
    {},
    [],
  ],
  [
    'the job reports progress',
    [
      [0, 1],
      [1, 3],
      [0, 1],
    ],
    {},
    { progress: { lastProgressTime: '2026-01-01T00:04:00Z' } },
    [],
  ],
])('%s', (_case, replicas, spec, status, expected) => {
  expect(findingOf(replicas, spec, status)).toEqual(expected);
});

describe('peers of a restarted replica of an MXJob', () => {
  const mxJob = KINDS.find(({ definition }) => definition.resource.kind === 'MXJob');

  const scheduler = (env: object[]) =>
    env.length === 0
      ? {}
      : { Scheduler: { template: { spec: { containers: [{ name: 'mxnet', image: 'registry.example/a:1', env }] } } } };

  function findingsOf(roles: Record<string, string>, jobMode: string, env: object[] = []) {
    if (mxJob === undefined) throw new Error('MXJob is no kind');
    const manifest = {
      ...{ apiVersion: 'kubeflow.org/v1', kind: 'MXJob' },
      metadata: { name: 'mnist', namespace: 'team', uid: 'uid' },
      spec: { jobMode, mxReplicaSpecs: { ...specsOfRoles('mxnet', roles), ...scheduler(env) } },
      status: { state: 'Running' },
    };
    const pods = podsOfRoles(manifest, 'mxnet', roles).map((pod, index, { length }) => {
      const isRestarted = index === length - 1;
      const running = { startedAt: `2026-01-01T00:0${isRestarted ? 3 : 1}:00Z` };
      const container = { name: 'mxnet', image: '', imageID: '', ready: true, state: { running } };
      const containerStatuses = [{ ...container, restartCount: isRestarted ? 1 : 0 }];
      return { ...pod, status: { phase: 'Running', containerStatuses } };
    });
    return waitingPeers(jobView(mxJob, manifest, pods));
  }

  it('reports that a worker of ps-lite cannot rejoin, and the next step', () => {
    expect(findingsOf({ Scheduler: 'R', Server: 'R', Worker: 'RR' }, 'MXTrain')).toEqual([
      {
        title: 'The other replicas may wait for worker-1, which has restarted once since they started.',
        details: [expect.stringMatching(/^A scheduler, server or worker of ps-lite .* cannot rejoin/)],
        advice: [
          'Make the program resume from checkpoints: worker-1 cannot rejoin. To submit the job again, delete it first',
          'delete',
          'logs --replica worker-0',
        ],
      },
    ]);
  });

  it('reports nothing for a worker that can be replaced because of the heartbeats of ps-lite', () => {
    const env = [{ name: 'PS_HEARTBEAT_TIMEOUT', value: '60' }];
    expect(findingsOf({ Scheduler: 'R', Server: 'R', Worker: 'RR' }, 'MXTrain', env)).toEqual([]);
  });

  it('reports nothing for a tuning job, whose replicas do not wait for one another', () => {
    expect(findingsOf({ TunerTracker: 'R', TunerServer: 'R', Tuner: 'R' }, 'MXTune')).toEqual([]);
  });
});
