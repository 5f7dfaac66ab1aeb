/** Updates of owned resources with the workers, and name conflicts. Letters: `test-support/mpi-world.ts`. */
import { planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { ANNOTATIONS, type EndpointSlice, type KubeObject, type MPIGeneration } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  finallyOf,
  madeOf,
  patchOf,
  planOf,
  summaryOf,
  templateOf,
  WAITS,
  worldOf,
  type MPIWorld,
  type Phases,
  type Spec,
} from '../test-support/mpi-world.ts';
import { mpiAdapter } from './mpi-adapter.ts';

describe('the objects of a job', () => {
  it.each<MPIGeneration>(['v2beta1', 'v1', 'v1alpha1'])(
    'name their owner in the version of the job: %s, the only one that the operator of that version serves',
    (generation) => {
      const { create, ownedResources, ensure } = planOf({ generation });
      const all = [...ensure, ...ownedResources.create].map(({ object }): KubeObject => object);
      const owners = [...all, ...create.pods].flatMap(({ metadata }) => metadata?.ownerReferences ?? []);
      expect(new Set(owners.map(({ apiVersion }) => apiVersion))).toEqual(new Set([`kubeflow.org/${generation}`]));
    },
  );
});

describe('the rights of a launcher', () => {
  interface Role extends KubeObject {
    rules?: { resources: string[]; resourceNames?: string[] }[];
  }
  const names = (role: Role | undefined) =>
    role?.rules?.map(({ resources, resourceNames }) => [resources, resourceNames]);

  it('cover the workers of its job only when these exist: others may have pods of these names before', () => {
    expect(madeOf(planOf({ generation: 'v1' }), 'Role')).toBeUndefined();
    expect(names(finallyOf({ generation: 'v1' }, 'Role'))).toEqual([
      [['pods'], undefined],
      [['pods/exec'], ['pi-worker-0', 'pi-worker-1']],
    ]);
  });

  it('cover no pod, instead of all, if there are no workers', () => {
    expect(names(finallyOf({ generation: 'v1alpha1', workers: 0 }, 'Role'))).toEqual([[['pods'], undefined]]);
  });

  it.each<[MPIGeneration, before: number, after: number, workers: string[]]>([
    ['v1', 2, 3, ['pi-worker-0', 'pi-worker-1', 'pi-worker-2']],
    ['v1', 2, 1, ['pi-worker-0']],
    ['v1alpha1', 1, 2, ['pi-worker-0', 'pi-worker-1']],
    ['v1alpha1', 2, 0, []],
  ])('follow the workers of %s from %i to %i', (generation, before, after, workers) => {
    const [existing] = worldOf({ generation, workers: before, phases: {} }).ownedResources.flatMap(({ object }) =>
      object.kind === 'Role' ? object : [],
    );
    const as = (object: KubeObject) => (object.kind === 'Role' ? (existing ?? {}) : object);
    const phases = { worker: 'P'.repeat(after) };
    const change = patchOf(planOf({ generation, workers: after, phases, as }), 'Role') as { patch: Role } | undefined;
    const entered = workers.length === 0 ? [] : [[['pods/exec'], workers]];
    expect(names(change?.patch)).toEqual([[['pods'], undefined], ...entered]);
  });

  it('do not change while the workers do not', () => {
    expect(patchOf(planOf({ generation: 'v1', phases: { worker: 'YY' } }), 'Role')).toBeUndefined();
  });

  it('are bound to the account that the launcher names, which is not created', () => {
    const template = templateOf();
    const spec = { ...template.spec, containers: template.spec?.containers ?? [], serviceAccountName: 'physics' };
    const mpiReplicaSpecs = { Launcher: { template: { spec } }, Worker: { replicas: 2, template } };
    const plan = planOf({ generation: 'v1', spec: { mpiReplicaSpecs } });
    expect(summaryOf(plan).create).not.toContain('ServiceAccount pi-launcher');
    expect(finallyOf({ generation: 'v1', spec: { mpiReplicaSpecs } }, 'RoleBinding')).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', name: 'physics', namespace: 'team' }],
    });
  });
});

describe('the script with the running hosts', () => {
  const script = (world: MPIWorld) =>
    (patchOf(planOf(world), 'ConfigMap') as { patch: { data: object } } | undefined)?.patch.data;
  const hosts = (...lines: string[]) => ({
    'discover_hosts.sh': ['#!/bin/sh', ...lines.map((host) => `echo ${host}`), ''].join('\n'),
  });
  const host = (index: number) => `pi-worker-${index}.pi.team.svc`;
  const COMPUTES: Spec = { runLauncherAsWorker: true };
  const launcher = 'R';
  const ofKubernetes = (object: KubeObject) =>
    object.kind === 'Service'
      ? ({ ...object, spec: { clusterIP: 'None', selector: { app: 'x' } } } as KubeObject)
      : object;

  it.each<[what: string, world: MPIWorld, data: object | undefined]>([
    [
      'lists all workers when all are ready, whose endpoints are written in the same reconcile run',
      { generation: 'v2beta1', phases: { launcher, worker: 'YY' } },
      hosts(host(0), host(1)),
    ],
    [
      'lists workers whose names resolve',
      { generation: 'v2beta1', phases: { launcher, worker: 'RY' }, ledTo: [0, 1] },
      hosts(host(0), host(1)),
    ],
    [
      'lists no other worker',
      { generation: 'v2beta1', phases: { launcher, worker: 'RY' }, ledTo: [1] },
      hosts(host(1)),
    ],
    [
      'lists no other worker, although all have the address of their node',
      { generation: 'v2beta1', phases: { launcher, worker: 'RY' }, ledTo: [1], shareAddress: true },
      hosts(host(1)),
    ],
    [
      'drops deleted workers',
      { generation: 'v2beta1', phases: { launcher, worker: 'Y-' }, ledTo: [0, 1] },
      hosts(host(0)),
    ],
    [
      'drops failed workers',
      { generation: 'v2beta1', phases: { launcher, worker: 'YF' }, ledTo: [0, 1] },
      hosts(host(0)),
    ],
    [
      'lists running workers if Kubernetes manages the endpoints',
      { generation: 'v2beta1', phases: { launcher, worker: 'RP' }, as: ofKubernetes },
      hosts(host(0)),
    ],
    ['does not change while no worker runs', { generation: 'v2beta1', phases: { launcher, worker: 'PP' } }, undefined],
    ['does not change while there is no launcher', { generation: 'v1', phases: { worker: 'YR' } }, undefined],
    [
      'lists workers in numeric order',
      { generation: 'v2beta1', workers: 11, phases: { launcher, worker: '--Y-------Y' }, ledTo: [10, 2] },
      hosts(host(2), host(10)),
    ],
    [
      'lists a launcher that computes first',
      { generation: 'v2beta1', spec: COMPUTES, phases: { launcher: 'P', worker: 'Y-' }, ledTo: [0] },
      hosts('pi-launcher.pi.team.svc', host(0)),
    ],
    [
      'has the slots of each host if the job sets that',
      {
        generation: 'v2beta1',
        annotations: { 'muster.dev/discover-hosts-slots': 'true' },
        phases: { launcher, worker: 'YY' },
      },
      hosts(`${host(0)}:1`, `${host(1)}:1`),
    ],
    [
      'always has the slots in v1',
      { generation: 'v1', spec: { slotsPerWorker: 4 }, phases: { launcher, worker: '-Y' } },
      { 'discover_hosts.sh': '#!/bin/sh\necho pi-worker-1:4' },
    ],
    ['does not exist in v1alpha1', { generation: 'v1alpha1', phases: { launcher, worker: 'YY' } }, undefined],
  ])('%s', (_what, world, data) => {
    expect(script(world)).toEqual(data);
  });

  it('is written together with the hostfile when workers are added', () => {
    const [before] = worldOf({ generation: 'v2beta1', phases: {} }).ownedResources.flatMap(({ object }) =>
      object.kind === 'ConfigMap' ? object : [],
    );
    const as = (object: KubeObject) => (object.kind === 'ConfigMap' ? (before ?? {}) : object);
    const phases = { launcher, worker: 'YYP' };
    expect(script({ generation: 'v2beta1', workers: 3, phases, ledTo: [0, 1], as })).toEqual({
      hostfile: [0, 1, 2].map((index) => `${host(index)} slots=1\n`).join(''),
      ...hosts(host(0), host(1)),
    });
  });
});

describe('the EndpointSlice of a job', () => {
  const WORKERS = ['pi-worker-0=10.0.0.1', 'pi-worker-1=10.0.0.2'];
  const LAUNCHER = 'pi-launcher=10.0.1.1';
  const changed = (plan: Planned) => (patchOf(plan, 'EndpointSlice') as { patch: EndpointSlice } | undefined)?.patch;
  const hostsIn = (object: object | undefined) =>
    (object as EndpointSlice | undefined)?.endpoints.map(
      ({ hostname, addresses: [address] }) => `${hostname}=${address}`,
    );

  it.each<[what: string, phases: Phases, spec: Spec, hosts: string[] | undefined]>([
    ['has all workers once they are ready, with or without the launcher', { launcher: 'P', worker: 'YY' }, {}, WORKERS],
    [
      'has the launcher as well when it is ready, with its host name',
      { launcher: 'Y', worker: 'YY' },
      {},
      [LAUNCHER, ...WORKERS],
    ],
    ['has the workers before a waiting launcher is created', { worker: 'YY' }, WAITS, WORKERS],
    [
      'has all pods with an address if the launcher computes',
      { launcher: 'R', worker: 'RR' },
      { runLauncherAsWorker: true },
      [LAUNCHER, ...WORKERS],
    ],
    ['is empty if no pod is ready', { launcher: 'P', worker: 'RR' }, {}, undefined],
  ])('%s', (_what, phases, spec, hosts) => {
    const plan = planOf({ generation: 'v2beta1', spec, phases, ledTo: [] });
    expect(hostsIn(changed(plan))).toEqual(hosts);
  });

  it('is written before a launcher that waits for its workers is created', () => {
    const world = worldOf({ generation: 'v2beta1', spec: WAITS, phases: { worker: 'YY' }, ledTo: [] });
    const { writes } = planJob(mpiAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' });
    const written = writes.flatMap((each) => ('resource' in each && each.op !== 'annotate' ? each.resource.kind : []));
    expect(written.indexOf('Job')).toBeGreaterThan(written.indexOf('EndpointSlice'));
    expect(written.indexOf('EndpointSlice')).toBeGreaterThanOrEqual(0);
  });

  it('is managed by Kubernetes if the Service has a selector', () => {
    const as = (object: KubeObject) =>
      object.kind === 'Service'
        ? ({ ...object, spec: { clusterIP: 'None', selector: { app: 'x' } } } as KubeObject)
        : object;
    const { create, change } = summaryOf(
      planOf({ generation: 'v2beta1', phases: { launcher: 'Y', worker: 'YY' }, ledTo: [], as }),
    );
    expect([...create, ...change].filter((object) => object.startsWith('EndpointSlice'))).toEqual([]);
  });

  it('is deleted at the end of a run', () => {
    const { remove } = summaryOf(
      planOf({ generation: 'v2beta1', phases: { launcher: 'S', worker: 'YY' }, ledTo: [0, 1] }),
    );
    expect(remove).toContain('EndpointSlice pi-0');
  });
});

describe('a scaled MPIJob', () => {
  it('lists the remaining workers in its hostfile when others were removed by name', () => {
    const status = { replicaStatuses: { Worker: { indexes: '1-2' } } };
    const plan = planOf({ generation: 'v1', status, phases: { worker: '-Y' } });
    expect(patchOf(plan, 'ConfigMap')).toMatchObject({
      patch: { data: { hostfile: 'pi-worker-1 slots=1\npi-worker-2 slots=1\n' } },
    });
  });

  it('stops its StatefulSet when the launcher computes alone', () => {
    const world = worldOf({ generation: 'v1alpha1', workers: 1, phases: { worker: 'Y' } });
    const spec = { ...world.manifest.spec, replicas: 1 };
    const alone = { ...world, manifest: { ...world.manifest, spec } };
    const plan = planned(planJob(mpiAdapter(), alone, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
    expect(patchOf(plan, 'StatefulSet')).toEqual({ patch: { spec: { replicas: 0 } } });
  });
});

describe('the digest of running hosts', () => {
  const noted = (world: MPIWorld) => planOf(world).annotate.map(({ object }) => object.metadata?.name);
  const digestOf = (world: MPIWorld) => planOf(world).annotate[0]?.annotations[ANNOTATIONS.hosts];
  const both = { launcher: 'R', worker: 'YY' };

  it.each<[MPIGeneration, string]>([
    ['v1', 'pi-launcher'],
    ['v2beta1', 'pi-launcher-abcde'],
  ])('is an annotation of a running launcher in %s', (generation, launcher) => {
    expect(noted({ generation, phases: both })).toEqual([launcher]);
    expect(noted({ generation, phases: { launcher: 'P', worker: 'YY' } })).toEqual([]);
  });

  it('changes with the hosts', () => {
    const one = digestOf({ generation: 'v1', phases: { launcher: 'R', worker: 'YP' } });
    const two = digestOf({ generation: 'v1', phases: both });
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(two).not.toBe(one);
  });

  it('is set when no host is left, but not before there was one', () => {
    const world: MPIWorld = { generation: 'v1', phases: { launcher: 'R', worker: 'PP' } };
    const [launcher, ...workers] = worldOf(world).pods;
    const noted = {
      ...launcher,
      metadata: { ...launcher?.metadata, annotations: { [ANNOTATIONS.hosts]: 'of before' } },
    };
    expect(digestOf(world)).toBeUndefined();
    expect(digestOf({ ...world, phases: both })).toBeDefined();
    const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
    const { annotate } = planned(planJob(mpiAdapter(), { ...worldOf(world), pods: [noted, ...workers] }, settings));
    expect(annotate[0]?.annotations[ANNOTATIONS.hosts]).toMatch(/^[0-9a-f]{16}$/);
  });

  it('does not change while the hosts do not', () => {
    const world: MPIWorld = { generation: 'v1', phases: both };
    const before = worldOf(world);
    const [noted] = planOf(world).annotate;
    const pods = before.pods.map((pod) =>
      pod.metadata?.name === noted?.object.metadata?.name
        ? { ...pod, metadata: { ...pod.metadata, annotations: { ...noted?.annotations } } }
        : pod,
    );
    const again = planned(
      planJob(mpiAdapter(), { ...before, pods }, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }),
    );
    expect(noted).toBeDefined();
    expect(again.annotate).toEqual([]);
  });

  it('does not exist in v1alpha1', () => {
    expect(noted({ generation: 'v1alpha1', phases: both })).toEqual([]);
  });
});

describe('objects that others have changed or own', () => {
  const RUNS: Phases = { launcher: 'R', worker: 'YY' };
  const ofAnother = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      ownerReferences: [{ apiVersion: 'v1', kind: 'MPIJob', name: 'other', uid: 'another', controller: true }],
    },
  });

  const withService = (spec: object) => (object: KubeObject) =>
    object.kind === 'Service' ? ({ ...object, spec: { clusterIP: 'None', ...spec } } as KubeObject) : object;

  it('a Service with a selector gets its selector back', () => {
    const as = withService({ selector: { app: 'x' }, publishNotReadyAddresses: true });
    expect(patchOf(planOf({ generation: 'v2beta1', phases: RUNS, as }), 'Service')).toEqual({
      patch: {
        spec: {
          selector: {
            app: null,
            'training.kubeflow.org/job-name': 'pi',
            'training.kubeflow.org/operator-name': 'mpi-operator',
          },
          publishNotReadyAddresses: false,
        },
      },
    });
  });

  it('a Service without a selector stays without one, and its EndpointSlice is kept', () => {
    const as = withService({ publishNotReadyAddresses: true });
    expect(patchOf(planOf({ generation: 'v2beta1', phases: RUNS, as }), 'Service')).toEqual({
      patch: { spec: { publishNotReadyAddresses: false } },
    });
  });

  it.each<[MPIGeneration, taken: string[]]>([
    ['v2beta1', ['ConfigMap pi-config', 'Service pi', 'Job pi-launcher']],
    ['v1', ['ConfigMap pi-config', 'ServiceAccount pi-launcher', 'Role pi-launcher', 'RoleBinding pi-launcher']],
  ])('those of another owner under names of a job of %s are requested, and never changed', (generation, taken) => {
    const { create, change, remove } = summaryOf(planOf({ generation, phases: RUNS, as: ofAnother }));
    // The API server answers AlreadyExists; then nothing of a later phase is created.
    expect(create.filter((object) => !/^(Secret|Pod)/.test(object))).toEqual(taken);
    expect([change, remove]).toEqual([[], []]);
  });

  it('a pod of another owner under the name of a worker blocks that worker until it is gone', () => {
    const { create, requeueAfterMs } = planOf({
      generation: 'v2beta1',
      besides: { conflictingPods: new Map([['pi-worker-0', 'it is taken']]) },
    });
    expect(create.pods.map(({ metadata }) => metadata?.name)).toEqual(['pi-worker-1']);
    expect(requeueAfterMs).toBeGreaterThan(0);
  });

  it('a Service without owner under the name of the job is not adopted', () => {
    const labels = { 'training.kubeflow.org/job-name': 'pi', 'training.kubeflow.org/operator-name': 'mpi-operator' };
    const services = [{ metadata: { name: 'pi', namespace: 'team', uid: 'uid of another', labels } }];
    const { adopt, remove } = planOf({ generation: 'v2beta1', phases: RUNS, besides: { services } });
    expect([adopt.services, remove.services]).toEqual([[], []]);
  });
});
