/** Plans for TFJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { newWorld, objectsOf, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { LABELS, type Pod, type TFJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { tfAdapter } from './tf-adapter.ts';

type Spec = Partial<TFJob['spec']>;
type State = 'Created' | 'Running' | 'Succeeded' | 'Failed';

const ALL_WORKERS: Spec = { successPolicy: 'AllWorkers' };
const DYNAMIC: Spec = { enableDynamicWorker: true };
const DYNAMIC_ALL: Spec = { ...DYNAMIC, ...ALL_WORKERS };

const CONTAINER = 'tensorflow';

/** The job `mnist` with these roles, a replica for each letter. */
function tfJob(roles: RolePhases, spec: Spec = {}): TFJob {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'TFJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: { runPolicy: { suspend: false }, tfReplicaSpecs: specsOfRoles(CONTAINER, roles), ...spec },
  };
}

function planOf(roles: RolePhases, spec: Spec = {}): Planned {
  const job = tfJob(roles, spec);
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, roles) };
  return planned(planJob(tfAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

function failureMessage(roles: RolePhases, spec?: Spec): string | undefined {
  return planOf(roles, spec).status?.conditions?.at(-1)?.message;
}

describe('the outcome of a TFJob', () => {
  it.each<[what: string, roles: RolePhases, state: State, spec?: Spec]>([
    ['it runs while its chief does', { Chief: 'R', PS: 'P', Worker: 'PP' }, 'Running'],
    ['it does not run before its chief does', { Chief: 'P', PS: 'R', Worker: 'RR' }, 'Created'],
    ['its chief decides, and no other replica is waited for', { Chief: 'S', PS: 'R', Worker: 'RR' }, 'Succeeded'],
    ['its Master decides, and no other replica is waited for', { Master: 'S', PS: 'R', Worker: 'RR' }, 'Succeeded'],
    ['its workers do not decide beside a chief', { Chief: 'R', Worker: 'SS' }, 'Running'],
    ['its workers do not decide beside a master', { Master: 'R', Worker: 'SS' }, 'Running'],
    ['AllWorkers has no effect beside a chief', { Chief: 'S', Worker: 'RR' }, 'Succeeded', ALL_WORKERS],
    ['its workers decide beside a chief of 0 replicas', { Chief: '', Worker: 'SR' }, 'Succeeded'],
    ['without a chief, it runs while some worker does', { PS: 'P', Worker: 'PR' }, 'Running'],
    ['without a chief, parameter servers that run do not make it run', { PS: 'RR', Worker: 'PP' }, 'Created'],
    ['worker 0 decides', { PS: 'R', Worker: 'SR' }, 'Succeeded'],
    ['another worker does not decide', { PS: 'R', Worker: 'RS' }, 'Running'],
    ['all workers together decide as well', { Worker: 'SS' }, 'Succeeded'],
    ['with AllWorkers, worker 0 does not decide', { Worker: 'SR' }, 'Running', ALL_WORKERS],
    ['with AllWorkers, all workers decide', { PS: 'R', Worker: 'SS' }, 'Succeeded', ALL_WORKERS],
    [
      'an evaluator that has succeeded does not make it succeed',
      { Chief: 'R', Worker: 'R', Evaluator: 'S' },
      'Running',
    ],
    [
      'an evaluator that has succeeded does not make it succeed without a chief',
      { Worker: 'RR', Evaluator: 'S' },
      'Running',
    ],
    ['parameter servers that have succeeded do not make it succeed', { Worker: 'RR', PS: 'SS' }, 'Running'],
    ['an evaluator that runs does not make it run', { Chief: 'P', Evaluator: 'R' }, 'Created'],
    ['a failed chief fails it', { Chief: 'F', Worker: 'RR' }, 'Failed'],
    ['a failed parameter server fails it while the chief runs', { Chief: 'R', PS: 'RF', Worker: 'RR' }, 'Failed'],
    ['a failed worker fails it while the chief runs', { Chief: 'R', Worker: 'RF' }, 'Failed'],
    ['a failed evaluator fails it while the chief runs', { Chief: 'R', Evaluator: 'F' }, 'Failed'],
    ['a failed parameter server fails it while workers run', { PS: 'F', Worker: 'RR' }, 'Failed'],
    ['a failed worker 0 fails it', { Worker: 'FR' }, 'Failed'],
    ['success of its chief precedes a failure', { Chief: 'S', PS: 'F', Worker: 'RF' }, 'Succeeded'],
    ['success of worker 0 precedes a failure', { Worker: 'SF' }, 'Succeeded'],
    ['with AllWorkers, a failed worker fails it', { Worker: 'SF' }, 'Failed', ALL_WORKERS],
  ])('%s', (_what, roles, state, spec) => {
    expect(planOf(roles, spec).status?.state).toBe(state);
  });

  it.each<[what: string, roles: RolePhases, state: State, spec: Spec]>([
    ['one that fails does not fail the job', { PS: 'R', Worker: 'RF' }, 'Running', DYNAMIC],
    ['worker 0 may fail', { PS: 'R', Worker: 'FR' }, 'Running', DYNAMIC],
    ['one that fails beside a chief does not fail the job', { Chief: 'R', Worker: 'RF' }, 'Running', DYNAMIC],
    ['the job waits while those that are left are pending', { PS: 'R', Worker: 'FP' }, 'Created', DYNAMIC],
    ['the job fails when all have failed', { PS: 'R', Worker: 'FF' }, 'Failed', DYNAMIC],
    ['the job fails when all have failed beside a chief', { Chief: 'R', Worker: 'FF' }, 'Failed', DYNAMIC],
    ['a failed parameter server fails the job', { PS: 'RF', Worker: 'RR' }, 'Failed', DYNAMIC],
    ['worker 0 decides', { PS: 'R', Worker: 'SR' }, 'Succeeded', DYNAMIC],
    ['the others decide when worker 0 has failed', { Worker: 'FSS' }, 'Succeeded', DYNAMIC],
    ['the others are waited for when worker 0 has failed', { Worker: 'FSR' }, 'Running', DYNAMIC],
    ['with AllWorkers, those that are left are waited for', { Worker: 'SFR' }, 'Running', DYNAMIC_ALL],
    ['with AllWorkers, a failed worker is not waited for', { Worker: 'SFS' }, 'Succeeded', DYNAMIC_ALL],
  ])('of dynamic workers, %s', (_what, roles, state, spec) => {
    expect(planOf(roles, spec).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, message: string]>([
    [{ Chief: 'R' }, 'TFJob team/mnist is running.'],
    [{ Worker: 'S' }, 'TFJob team/mnist successfully completed.'],
    [{ Chief: 'R', PS: 'FF' }, 'TFJob team/mnist has failed because 2 PS replica(s) failed.'],
    [
      { Worker: 'F', PS: 'F', Evaluator: 'F', Chief: 'R' },
      'TFJob team/mnist has failed because 1 Evaluator replica(s) failed.',
    ],
  ])("has Kubeflow's message: %j", (roles, message) => {
    expect(failureMessage(roles)).toMatch(new RegExp(`^${message.replaceAll(/[.()/]/g, '\\$&')}( First: |$)`));
  });
});

describe('the end of a TFJob', () => {
  const ENDED = { Chief: 'S', PS: 'RP', Worker: 'RS', Evaluator: 'R' };
  const SERVERS = ['mnist-ps-0', 'mnist-ps-1'];

  it.each<[what: string, policy: 'None' | 'Running' | 'All' | undefined, removed: string[]]>([
    ['stops the parameter servers, which would never end, and no other replica', undefined, SERVERS],
    ['stops no pod under None', 'None', []],
    ['stops running pods under Running', 'Running', ['mnist-evaluator-0', ...SERVERS, 'mnist-worker-0']],
    [
      'deletes every pod under All',
      'All',
      ['mnist-chief-0', 'mnist-evaluator-0', ...SERVERS, 'mnist-worker-0', 'mnist-worker-1'],
    ],
  ])('%s', (_what, cleanPodPolicy, removed) => {
    const { remove } = planOf(ENDED, { runPolicy: { suspend: false, ...(cleanPodPolicy && { cleanPodPolicy }) } });
    expect(names(remove.pods)).toEqual(removed);
  });

  it('stops the parameter servers of a failed job as well', () => {
    expect(names(planOf({ Chief: 'F', PS: 'R', Worker: 'R' }).remove.pods)).toEqual(['mnist-ps-0']);
  });
});

describe('the replica that leads a TFJob', () => {
  it.each<[roles: RolePhases, leader: string]>([
    [{ Worker: '--', PS: '-', Chief: '-', Evaluator: '-' }, 'mnist-chief-0'],
    [{ Worker: '--', Master: '-' }, 'mnist-master-0'],
    [{ Worker: '--', PS: '-' }, 'mnist-worker-0'],
    [{ Worker: '--', Chief: '' }, 'mnist-worker-0'],
    [{ WORKER: '--', chief: '-' }, 'mnist-chief-0'],
  ])('of %j is %s: it alone has the label and a separate Service', (roles, leader) => {
    const { create } = planOf(roles);
    const labelled = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(labelled)).toEqual([leader]);
    expect(names(create.services)).toEqual(['mnist', leader]);
  });
});

describe('TF_CONFIG', () => {
  const configs = (job: TFJob, clusterDomain = 'cluster.local') =>
    objectsOf(tfAdapter(), job, { serviceMode: 'PerReplica', clusterDomain })
      .filter((object): object is Pod => object.kind === 'Pod')
      .map(({ spec }) => spec?.containers[0]?.env?.find(({ name }) => name === 'TF_CONFIG')?.value);

  it("ends addresses with the cluster's domain unless that is the default", () => {
    expect(configs(tfJob({ Worker: '--' }), 'corp.example')[1]).toBe(
      '{"cluster":{"worker":["mnist-worker-0.team.svc.corp.example:2222","mnist-worker-1.team.svc.corp.example:2222"]},' +
        '"task":{"type":"worker","index":1},"environment":"cloud"}',
    );
  });

  it.each<[RolePhases]>([[{ Worker: '-' }], [{ Chief: '-' }], [{ Master: '-', PS: '', Worker: '' }]])(
    'is not set for the only replica of %j',
    (roles) => {
      expect(configs(tfJob(roles))).toEqual([undefined]);
    },
  );

  it('has an empty list for a role without replicas', () => {
    const cluster = '"ps":[],"worker":["mnist-worker-0.team.svc:2222","mnist-worker-1.team.svc:2222"]';
    expect(configs(tfJob({ PS: '', Worker: '--' }))[0]).toContain(`{"cluster":{${cluster}}`);
    expect(configs(tfJob({ PS: '', Worker: '--' }, DYNAMIC))[0]).toContain('"ps":[]}');
  });

  it.each(['Chief', 'Master'])(
    'has a %s and all parameter servers in its own cluster when workers are dynamic',
    (role) => {
      const name = role.toLowerCase();
      const all = configs(tfJob({ [role]: '-', PS: '--', Worker: '-' }, DYNAMIC));
      const own = all.find((config) => config?.includes(`"type":"${name}"`)) ?? '';
      expect(JSON.parse(own)).toMatchObject({
        cluster: {
          [name]: [`mnist-${name}-0.team.svc:2222`],
          ps: ['mnist-ps-0.team.svc:2222', 'mnist-ps-1.team.svc:2222'],
        },
      });
    },
  );
});

describe('a TFJob that is older than the validation rules', () => {
  it('is read without a run policy', () => {
    const { runPolicy: _, ...spec } = tfJob({ Worker: '--' }).spec;
    const old = { ...tfJob({ Worker: '--' }), spec } as TFJob;
    expect(tfAdapter().read(old, newWorld(old, 0)).roles).toHaveLength(1);
  });

  it('that runs has not succeeded when its workers are scaled down to 0', () => {
    const roles = { PS: 'R', Worker: '' };
    const conditions = [{ type: 'Running', status: 'True', reason: 'Runs' }] as const;
    const job = { ...tfJob(roles), status: { conditions: [...conditions] } };
    const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, roles) };
    const { status, remove } = planned(
      planJob(tfAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }),
    );
    expect([status?.state, names(remove.pods)]).toEqual(['Running', []]);
  });

  it('with a conflicting port has a problem with the field path, and gets no pods', () => {
    const containers = [
      { name: CONTAINER, image: 'registry.example/train:1' },
      { name: 'logs', image: 'registry.example/logs:1', ports: [{ containerPort: 2222 }] },
    ];
    const { create, status } = planOf(
      { Worker: '--' },
      { tfReplicaSpecs: { Worker: { replicas: 2, template: { spec: { containers } } } } },
    );
    expect(create.pods).toEqual([]);
    const [failed] = status?.conditions?.filter(({ type }) => type === 'Failed') ?? [];
    expect(failed?.reason).toBe('InvalidSpec');
    expect(failed?.message).toMatch(
      /^spec\.tfReplicaSpecs\[Worker\]\.template\.spec\.containers\[1\]\.ports\[0\]\.containerPort: Invalid value: 2222: /,
    );
  });
});
