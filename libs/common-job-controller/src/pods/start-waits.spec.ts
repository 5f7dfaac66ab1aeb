import type { PodSpec, StartOrder } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { Scheduling } from '../contract/facets.ts';
import type { ReplicaState } from '../model/replica-pod.ts';
import { startWaits } from './start-waits.ts';

interface Case {
  readonly entry?: Partial<StartOrder[number]>;
  readonly states?: Readonly<Record<string, ReplicaState>>;
  readonly scheduling?: Scheduling;
  readonly spec?: PodSpec;
  readonly servers?: number;
  readonly image?: string | undefined;
}

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

const formatted = (each: Case) =>
  waits(each).map(({ name, env }) => `${name} ${env?.map(({ value }) => value?.replaceAll(' ', ',')).join(' ')}`);

describe('the init containers of a role that waits for others', () => {
  it.each<[what: string, each: Case, waits: string[]]>([
    ["wait on the framework's port", {}, ['wait-for-server server-0,server-1 2222 300']],
    [
      'wait on the port and for the time that the job sets',
      { entry: { initContainer: { port: 9, timeoutSeconds: 60 } } },
      ['wait-for-server server-0,server-1 9 60'],
    ],
    [
      'exist once per awaited role, in the order of roles',
      { entry: { dependsOn: ['Server', 'Chief'] } },
      ['wait-for-chief chief-0 1111 300', 'wait-for-server server-0,server-1 2222 300'],
    ],
    [
      'wait for pods in any state except succeeded',
      { states: { 'server-0': 'succeeded', 'server-1': 'failed' } },
      ['wait-for-server server-1 2222 300'],
    ],
    [
      'are absent if all awaited pods have succeeded',
      { states: { 'server-0': 'succeeded', 'server-1': 'succeeded' } },
      [],
    ],
    ['are absent if the awaited role has no replicas', { servers: 0 }, []],
    [
      'wait for the minimum of an elastic job',
      { servers: 3, scheduling: { leastReplicas: () => 2 } },
      ['wait-for-server server-0,server-1 2222 300'],
    ],
    [
      'count succeeded pods towards the minimum',
      { servers: 3, scheduling: { leastReplicas: () => 2 }, states: { 'server-0': 'succeeded' } },
      ['wait-for-server server-1 2222 300'],
    ],
  ])('%s', (_what, each, expected) => {
    expect(formatted(each)).toEqual(expected);
  });

  it("are absent if the role's pods are created later", () => {
    const startOrder: StartOrder = [{ role: 'Worker', dependsOn: ['Server'] }];
    const worker = role('Worker', 1);
    const job = trainingJob([role('Server', 1), worker], { startOrder });
    const awaited = { replicas: [], peers: { addressOf: () => '' } };
    expect(startWaits({}, job, worker, awaited)).toEqual([]);
  });

  it("use the program's image and pull policy", () => {
    const containers = [
      { name: 'logs', image: 'registry.example/logs:1' },
      { name: 'main', image: 'registry.example/main:latest', imagePullPolicy: 'Never' as const },
    ];
    const [container] = waits({ spec: podSpec({}, { containers }) });
    expect(container).toMatchObject({ image: 'registry.example/main:latest', imagePullPolicy: 'Never' });
  });

  it("use the operator's image if it is set", () => {
    const [container] = waits({ image: 'init:1' });
    expect(container?.image).toBe('init:1');
    expect(container).not.toHaveProperty('imagePullPolicy');
  });

  it('have no privileges', () => {
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
    ['a user other than root', {}, 65_532],
    ["the pod's user", { securityContext: { runAsUser: 1000 } }, 1000],
    ['a user other than root if the pod runs as root', { securityContext: { runAsUser: 0 } }, 65_532],
    [
      "the program's user rather than the pod's",
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
