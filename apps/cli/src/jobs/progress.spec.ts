import type { Pod } from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { jobView, type JobState } from './job-view.ts';
import { progress } from './progress.ts';
import { goalStateOf, WAITED_FOR, type GoalState } from './wait-for.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

function view(status: object | undefined, change: (pod: Pod) => Pod = (pod) => pod) {
  if (kind === undefined) throw new Error('PyTorchJob is no kind');
  const roles = { Worker: 'PP' };
  const manifest = {
    ...{
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: { name: 'mnist', namespace: 'team', uid: 'uid' },
    },
    spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: specsOfRoles('pytorch', roles) },
    ...(status && { status }),
  };
  return jobView(kind, manifest, podsOfRoles(manifest, 'pytorch', roles).map(change));
}

const pulling = (pod: Pod): Pod => {
  const state = { waiting: { reason: 'ErrImagePull', message: 'no such image' } };
  const containers = (pod.status?.containerStatuses ?? []).map((each) => ({ ...each, state }));
  return { ...pod, status: { ...pod.status, containerStatuses: containers } };
};

it('reports each change once, and each reason for waiting once', () => {
  const lines = progress();
  expect(lines.news(view(undefined))).toEqual(['no operator has reconciled it yet, 0/2 ready']);
  expect(lines.news(view(undefined))).toEqual([]);
  expect(lines.news(view({ state: 'Created', ready: '0/2' }, pulling))).toEqual([
    'Created, 0/2 ready',
    'worker-0 waits: ErrImagePull: no such image',
  ]);
  expect(lines.news(view({ state: 'Running', ready: '1/2' }, pulling))).toEqual(['Running, 1/2 ready']);
  expect(lines.news(view({ state: 'Running', ready: '2/2', restartCount: 1 }))).toEqual([
    'Running, 2/2 ready, 1 restart',
  ]);
  const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
  expect(lines.news(view({ state: 'Running', ready: '2/2', restartCount: 1, conditions: [refused] }))).toEqual([
    'waits: FailedCreate: exceeded quota',
  ]);
});

describe('the goal of a wait', () => {
  const states: readonly (JobState | undefined)[] = [
    undefined,
    'Created',
    'Running',
    'Restarting',
    'Suspended',
    'Succeeded',
    'Failed',
  ];
  const [w, r, m]: readonly GoalState[] = ['waiting', 'reached', 'missed'];
  it.each([
    ['succeeded', [w, w, w, w, w, r, m]],
    ['running', [w, w, r, w, w, r, m]],
    ['finished', [w, w, w, w, w, r, r]],
    ['failed', [w, w, w, w, w, m, r]],
    ['suspended', [w, w, w, w, r, m, m]],
  ] as const)('is reached or missed by the state: %s', (goal, expected) => {
    expect(states.map((state) => goalStateOf(goal, state))).toEqual(expected);
    expect(WAITED_FOR).toContain(goal);
  });
});
