/** Plans for JAXJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { JAX_CONTAINER, LABELS, type JAXJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { jaxAdapter } from './jax-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

function planOf(roles: RolePhases): Planned {
  const job: JAXJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'JAXJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      runPolicy: { suspend: false },
      jaxReplicaSpecs: specsOfRoles(JAX_CONTAINER, roles),
    },
  };
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, JAX_CONTAINER, roles) };
  return planned(planJob(jaxAdapter(), world, SETTINGS));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

describe('the outcome of a JAXJob', () => {
  it.each<[what: string, roles: RolePhases, state: string]>([
    ['without a master runs while a worker does', { Worker: 'RP' }, 'Running'],
    ['without a master does not run before a worker does', { Worker: 'PP' }, 'Created'],
    ['without a master succeeds with all workers', { Worker: 'SS' }, 'Succeeded'],
    ['without a master does not succeed with some workers', { Worker: 'SR' }, 'Running'],
    ['without a master fails with a worker', { Worker: 'SF' }, 'Failed'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Worker: 'RR' }, 'JAXJob team/mnist is running.'],
    [{ Worker: 'SS' }, 'JAXJob team/mnist successfully completed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

describe('the replica of a JAXJob that others connect to', () => {
  it.each<[roles: RolePhases, leader: string]>([[{ Worker: '--' }, 'mnist-worker-0']])(
    'has the label of masters, and a Service of its name: %j',
    (roles, leader) => {
      const { create } = planOf(roles);
      const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
      expect(names(masters)).toEqual([leader]);
      expect(names(create.services)).toEqual(['mnist', leader]);
    },
  );
});
