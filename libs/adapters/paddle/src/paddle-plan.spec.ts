/** Plans for PaddleJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { PADDLE_CONTAINER, LABELS, type PaddleJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { paddleAdapter } from './paddle-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

function planOf(roles: RolePhases): Planned {
  const job: PaddleJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PaddleJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      runPolicy: { suspend: false },
      paddleReplicaSpecs: Object.fromEntries(
        Object.entries(specsOfRoles(PADDLE_CONTAINER, roles)).map(([role, spec]) => [
          role,
          { ...spec, restartPolicy: 'Never' as const },
        ]),
      ),
    },
  };
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, PADDLE_CONTAINER, roles) };
  return planned(planJob(paddleAdapter(), world, SETTINGS));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

describe('the outcome of a PaddleJob', () => {
  it.each<[what: string, roles: RolePhases, state: string]>([
    ['runs while its master does', { Master: 'R', Worker: 'PP' }, 'Running'],
    ['does not run before its master does', { Master: 'P', Worker: 'RR' }, 'Created'],
    ['succeeds with its master', { Master: 'S', Worker: 'RR' }, 'Succeeded'],
    ['does not succeed with its workers', { Master: 'R', Worker: 'SS' }, 'Running'],
    ['succeeds with a master alone', { Master: 'S' }, 'Succeeded'],
    ['fails with its master', { Master: 'F', Worker: 'RR' }, 'Failed'],
    ['fails with a worker', { Master: 'R', Worker: 'RF' }, 'Failed'],
    ['succeeds although a worker has failed, if the master has succeeded', { Master: 'S', Worker: 'SF' }, 'Succeeded'],
    ['without a master runs while a worker does', { Worker: 'RP' }, 'Running'],
    ['without a master does not run before a worker does', { Worker: 'PP' }, 'Created'],
    ['without a master succeeds with all workers', { Worker: 'SS' }, 'Succeeded'],
    ['without a master does not succeed with some workers', { Worker: 'SR' }, 'Running'],
    ['without a master fails with a worker', { Worker: 'SF' }, 'Failed'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Master: 'R', Worker: 'R' }, 'PaddleJob mnist is running.'],
    [{ Master: 'S', Worker: 'S' }, 'PaddleJob mnist is successfully completed.'],
    [{ Master: 'R', Worker: 'FF' }, 'PaddleJob mnist is failed because 2 Worker replica(s) failed.'],
    [{ Worker: 'RR' }, 'PaddleJob team/mnist is running.'],
    [{ Worker: 'SS' }, 'PaddleJob team/mnist successfully completed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

describe('the replica of a PaddleJob that others connect to', () => {
  it.each<[roles: RolePhases, leader: string]>([
    [{ Master: '-', Worker: '--' }, 'mnist-master-0'],
    [{ worker: '--', master: '-' }, 'mnist-master-0'],
    [{ Worker: '--' }, 'mnist-worker-0'],
  ])('has the label of masters, and a Service of its name: %j', (roles, leader) => {
    const { create } = planOf(roles);
    const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(masters)).toEqual([leader]);
    expect(names(create.services)).toEqual(['mnist', leader]);
  });
});
