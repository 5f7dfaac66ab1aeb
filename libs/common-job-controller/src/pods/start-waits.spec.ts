/** What the pods of a role wait for before their program begins. */
import type { PodSpec, StartOrder } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { Scheduling } from '../contract/facets.ts';
import type { ReplicaState } from '../model/replica-pod.ts';
import { startWaits } from './start-waits.ts';

interface Case {
  readonly entry?: Partial<StartOrder[number]>;
  /** By the name of the pod. */
  readonly states?: Readonly<Record<string, ReplicaState>>;
  readonly scheduling?: Scheduling;
  readonly spec?: PodSpec;
  readonly servers?: number;
  readonly image?: string | undefined;
}

/** Workers wait for two servers. */
function waits({ entry, states = {}, scheduling, spec = podSpec(), servers = 2, ...rest }: Case) {
  const worker = role('Worker', 1, spec);
  const roles = [{ ...role('Chief', 1), port: 1111 }, { ...role('Server', servers), port: 2222 }, worker];
  const job = trainingJob(roles, {
    startOrder: [{ role: 'Worker', dependsOn: ['Server'], initContainer: {}, ...entry }],
  });
  const nameOf = (name: string, index: number) => `${name.toLowerCase()}-${index}`;
  const replicas = roles.flatMap((each) =>
    Array.from({ length: each.replicas }, (_, index) => {
      return { role: each, index, state: states[nameOf(each.name, index)] ?? ('missing' as const) };
    }),
  );
  const peers = { addressOf: (replica: (typeof replicas)[number]) => nameOf(replica.role.name, replica.index) };
  return startWaits({ ...(scheduling && { scheduling }) }, job, worker, { replicas, peers, ...rest });
}

const told = (each: Case) =>
  waits(each).map(({ name, env }) => `${name} ${env?.map(({ value }) => value?.replaceAll(' ', ',')).join(' ')}`);

describe('the init containers of a role that waits', () => {
  it.each<[what: string, each: Case, waits: string[]]>([
    ["wait on the framework's port", {}, ['wait-for-server server-0,server-1 2222 300']],
    [
      'wait on another port and for another time where the job says so',
      { entry: { initContainer: { port: 9, timeoutSeconds: 60 } } },
      ['wait-for-server server-0,server-1 9 60'],
    ],
    [
      'are one for each role, in the order of the roles',
      { entry: { dependsOn: ['Server', 'Chief'] } },
      ['wait-for-chief chief-0 1111 300', 'wait-for-server server-0,server-1 2222 300'],
    ],
    [
      'wait for pods in any state but those that have succeeded',
      { states: { 'server-0': 'succeeded', 'server-1': 'failed' } },
      ['wait-for-server server-1 2222 300'],
    ],
    ['are none when all have succeeded', { states: { 'server-0': 'succeeded', 'server-1': 'succeeded' } }, []],
    ['are none when there is nobody to come', { servers: 0 }, []],
    [
      'wait for the least with which an elastic job goes on',
      { servers: 3, scheduling: { leastReplicas: () => 2 } },
      ['wait-for-server server-0,server-1 2222 300'],
    ],
    [
      'count to it those that have succeeded',
      { servers: 3, scheduling: { leastReplicas: () => 2 }, states: { 'server-0': 'succeeded' } },
      ['wait-for-server server-1 2222 300'],
    ],
  ])('%s', (_what, each, expected) => {
    expect(told(each)).toEqual(expected);
  });

  it('are none where the role is made later', () => {
    const startOrder: StartOrder = [{ role: 'Worker', dependsOn: ['Server'] }];
    const worker = role('Worker', 1);
    const job = trainingJob([role('Server', 1), worker], { startOrder });
    const awaited = { replicas: [], peers: { addressOf: () => '' } };
    expect(startWaits({}, job, worker, awaited)).toEqual([]);
  });

  it("run the program's own image, which its nodes pull anyway, with its pull policy", () => {
    const containers = [
      { name: 'logs', image: 'registry.example/logs:1' },
      { name: 'main', image: 'registry.example/main:latest', imagePullPolicy: 'Never' as const },
    ];
    const [container] = waits({ spec: podSpec({}, { containers }) });
    expect(container).toMatchObject({ image: 'registry.example/main:latest', imagePullPolicy: 'Never' });
  });

  it("run the operator's image where it has one", () => {
    const [container] = waits({ image: 'init:1' });
    expect(container?.image).toBe('init:1');
    expect(container).not.toHaveProperty('imagePullPolicy');
  });

  it('have no rights', () => {
    const [container] = waits({});
    expect(container).toMatchObject({
      securityContext: {
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container?.resources?.requests).toEqual(container?.resources?.limits);
  });

  it.each<[what: string, spec: Partial<PodSpec>, user: number]>([
    ['a user that is not root', {}, 65_532],
    ["the pod's user", { securityContext: { runAsUser: 1000 } }, 1000],
    ['none of the pod that is root', { securityContext: { runAsUser: 0 } }, 65_532],
    [
      "the program's user before the pod's",
      {
        securityContext: { runAsUser: 1000 },
        containers: [{ name: 'main', image: 'main:1', securityContext: { runAsUser: 2000 } }],
      },
      2000,
    ],
  ])('run as %s', (_what, spec, user) => {
    const [container] = waits({ spec: podSpec({}, spec) });
    expect(container?.securityContext?.runAsUser).toBe(user);
  });
});
