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
    ['runs while a worker does', { Worker: 'RP' }, 'Running'],
    ['does not run before a worker does', { Worker: 'PP' }, 'Created'],
    ['succeeds with all workers', { Worker: 'SS' }, 'Succeeded'],
    ['does not succeed with another worker', { Worker: 'RS' }, 'Running'],
    ['does not succeed with worker 0', { Worker: 'SR' }, 'Running'],
    ['succeeds with a single worker', { Worker: 'S' }, 'Succeeded'],
    ['fails with a worker', { Worker: 'SF' }, 'Failed'],
    ['fails with worker 0', { Worker: 'FR' }, 'Failed'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Worker: 'RR' }, 'JAXJob team/mnist is running.'],
    [{ Worker: 'SS' }, 'JAXJob team/mnist successfully completed.'],
    [{ Worker: 'RFF' }, 'JAXJob mnist is failed because 2 Worker replica(s) failed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

describe('the environment of JAX pods', () => {
  const valuesOf = (roles: RolePhases, of: readonly string[]) =>
    planOf(roles).create.pods.map(({ metadata, spec }) => {
      const env = spec?.containers[0]?.env ?? [];
      return [metadata?.name, ...of.map((name) => env.find((variable) => variable.name === name)?.value)];
    });

  it("has Kubeflow's variables: the address of worker 0, its port, the number of pods and the pod's index", () => {
    const names = ['COORDINATOR_ADDRESS', 'COORDINATOR_PORT', 'NUM_PROCESSES', 'PROCESS_ID'];
    expect(valuesOf({ worker: '---' }, names)).toEqual([
      ['mnist-worker-0', 'mnist-worker-0', '6666', '3', '0'],
      ['mnist-worker-1', 'mnist-worker-0', '6666', '3', '1'],
      ['mnist-worker-2', 'mnist-worker-0', '6666', '3', '2'],
    ]);
  });

  it("has the address with its port, as JAX reads it, and the variables of Kubeflow's Trainer", () => {
    const names = ['JAX_COORDINATOR_ADDRESS', 'JAX_NUM_PROCESSES', 'JAX_PROCESS_ID'];
    expect(valuesOf({ Worker: '--' }, names)).toEqual([
      ['mnist-worker-0', 'mnist-worker-0:6666', '2', '0'],
      ['mnist-worker-1', 'mnist-worker-0:6666', '2', '1'],
    ]);
  });

  it('has no variables of PyTorch', () => {
    expect(valuesOf({ Worker: '-' }, ['MASTER_ADDR', 'WORLD_SIZE', 'RANK'])[0]?.slice(1)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
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

it('warns of a variable in the template that overrides one of Muster', () => {
  const [container] = specsOfRoles(JAX_CONTAINER, { Worker: 'RR' })['Worker']!.template.spec!.containers;
  const job: JAXJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'JAXJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      runPolicy: { suspend: false },
      jaxReplicaSpecs: {
        Worker: {
          replicas: 2,
          template: { spec: { containers: [{ ...container!, env: [{ name: 'NUM_PROCESSES', value: '7' }] }] } },
        },
      },
    },
  };
  const { events } = planned(planJob(jaxAdapter(), newWorld(job, Date.UTC(2030, 0, 1)), SETTINGS));
  expect(events.filter(({ reason }) => reason === 'SpecWarning').map(({ note }) => note)).toEqual([
    "spec.jaxReplicaSpecs[Worker].template.spec.containers[0].env: NUM_PROCESSES: set here, which overrides Muster's value. Remove it unless that is intended",
  ]);
});
