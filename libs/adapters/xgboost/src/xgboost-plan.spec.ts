/** Plans for XGBoostJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { XGBOOST_CONTAINER, LABELS, type XGBoostJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { xgboostAdapter } from './xgboost-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

function planOf(roles: RolePhases, own: XGBoostJob['spec']['xgbReplicaSpecs'] = {}): Planned {
  const job: XGBoostJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'XGBoostJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      runPolicy: { suspend: false },
      xgbReplicaSpecs: { ...specsOfRoles(XGBOOST_CONTAINER, roles), ...own },
    },
  };
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, XGBOOST_CONTAINER, roles) };
  return planned(planJob(xgboostAdapter(), world, SETTINGS));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

describe('the outcome of an XGBoostJob', () => {
  it.each<[what: string, roles: RolePhases, state: string]>([
    ['runs while its master does', { Master: 'R', Worker: 'PP' }, 'Running'],
    ['does not run before its master does', { Master: 'P', Worker: 'RR' }, 'Created'],
    ['succeeds with its master', { Master: 'S', Worker: 'RR' }, 'Succeeded'],
    ['does not succeed with its workers', { Master: 'R', Worker: 'SS' }, 'Running'],
    ['succeeds with a master alone', { Master: 'S' }, 'Succeeded'],
    ['fails with its master', { Master: 'F', Worker: 'RR' }, 'Failed'],
    ['fails with a worker', { Master: 'R', Worker: 'RF' }, 'Failed'],
    ['succeeds although a worker has failed, if the master has succeeded', { Master: 'S', Worker: 'SF' }, 'Succeeded'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Master: 'R', Worker: 'R' }, 'XGBoostJob mnist is running.'],
    [{ Master: 'S', Worker: 'S' }, 'XGBoostJob mnist is successfully completed.'],
    [{ Master: 'R', Worker: 'FF' }, 'XGBoostJob mnist is failed because 2 Worker replica(s) failed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

it('warns of a variable in the template that overrides one of Muster', () => {
  const env = [
    { name: 'MASTER_PORT', value: '7777' },
    { name: 'PYTHONUNBUFFERED', value: '0' },
    { name: 'EPOCHS', value: '3' },
  ];
  const template = { spec: { containers: [{ name: XGBOOST_CONTAINER, image: 'registry.example/train:1', env }] } };
  const { events } = planOf({ Master: '-', Worker: '-' }, { Worker: { replicas: 1, template } });
  const path = 'spec.xgbReplicaSpecs[Worker].template.spec.containers[0].env';
  expect(events.filter(({ reason }) => reason === 'SpecWarning').map(({ note }) => note)).toEqual([
    `${path}: MASTER_PORT: set here, which overrides Muster's value. Remove it unless that is intended`,
  ]);
});

it('warns of no variable for a number of replicas that was never validated, because the variables list all replicas', () => {
  const env = [{ name: 'MASTER_PORT', value: '7777' }];
  const template = { spec: { containers: [{ name: XGBOOST_CONTAINER, image: 'registry.example/train:1', env }] } };
  const { events } = planOf({ Master: '-', Worker: '-' }, { Worker: { replicas: 2_000_000_000, template } });
  expect(events.filter(({ reason }) => reason === 'SpecWarning')).toEqual([]);
});

describe('the environment of XGBoost pods', () => {
  const valuesOf = (roles: RolePhases, of: readonly string[]) =>
    planOf(roles).create.pods.map(({ metadata, spec }) => {
      const env = spec?.containers[0]?.env ?? [];
      return [metadata?.name, ...of.map((name) => env.find((variable) => variable.name === name)?.value)];
    });

  it('numbers the master first, then the workers', () => {
    expect(valuesOf({ worker: '--', master: '-' }, ['RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'MASTER_PORT'])).toEqual([
      ['mnist-master-0', '0', '3', 'mnist-master-0', '9999'],
      ['mnist-worker-0', '1', '3', 'mnist-master-0', '9999'],
      ['mnist-worker-1', '2', '3', 'mnist-master-0', '9999'],
    ]);
  });

  it.each<[roles: RolePhases, port: string | undefined, addresses: string | undefined]>([
    [{ Master: '-', Worker: '--' }, '9999', 'mnist-worker-0,mnist-worker-1'],
    [{ Master: '-', Worker: '' }, undefined, undefined],
    [{ Master: '-' }, undefined, undefined],
  ])('lists the workers, if there are any: %j', (roles, port, addresses) => {
    expect(valuesOf(roles, ['WORKER_PORT', 'WORKER_ADDRS'])[0]).toEqual(['mnist-master-0', port, addresses]);
  });
});

describe('the replica of an XGBoostJob that others connect to', () => {
  it.each<[roles: RolePhases, leader: string]>([
    [{ Master: '-', Worker: '--' }, 'mnist-master-0'],
    [{ worker: '--', master: '-' }, 'mnist-master-0'],
  ])('has the label of masters, and a Service of its name: %j', (roles, leader) => {
    const { create } = planOf(roles);
    const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(masters)).toEqual([leader]);
    expect(names(create.services)).toEqual(['mnist', leader]);
  });
});
