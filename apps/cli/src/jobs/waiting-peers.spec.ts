import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { jobView } from './job-view.ts';
import { waitingPeers } from './waiting-peers.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

/** Of a job of three workers: how often each was restarted, and the minute in which it was last started. */
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
    'one restarted, and the others run on',
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
