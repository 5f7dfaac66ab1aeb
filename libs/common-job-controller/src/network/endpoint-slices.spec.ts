import type { EndpointSlice, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at } from '../../test-support/plain-pod.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import type { ReplicaPod, ReplicaState } from '../model/replica-pod.ts';
import { desiredEndpointSlices, ENDPOINT_SLICE_KIND, type ServiceMembers } from './endpoint-slices.ts';

const ROLE: ReplicaRole = {
  name: 'Worker',
  replicas: 3,
  template: {},
  restartPolicy: 'Never',
  endsByItself: true,
  containerName: 'main',
};
const SERVICE = {
  metadata: { name: 'mnist', namespace: 'team' },
  spec: { publishNotReadyAddresses: true, ports: [{ port: 29_400 }] },
};
const NOW_MS = Date.parse(at(0));

interface Peer {
  readonly state?: ReplicaState;
  readonly ip?: string;
  /** In seconds since the reference time. Default: long before. */
  readonly made?: number;
  readonly phase?: string;
  readonly isUnscheduled?: boolean;
  readonly isReady?: boolean;
  readonly role?: ReplicaRole;
  readonly hostname?: string;
}

function replica(
  { state = 'running', ip, made = -3600, phase, isUnscheduled = false, isReady = false, role = ROLE, hostname }: Peer,
  index: number,
): ReplicaPod {
  if (state === 'missing') return { role, index, state };
  const pod: Pod = {
    metadata: { name: `mnist-worker-${index}`, namespace: 'team', creationTimestamp: at(made) },
    status: {
      ...(ip !== undefined && { podIP: ip }),
      ...(phase !== undefined && { phase }),
      conditions: [
        ...(isUnscheduled ? [{ type: 'PodScheduled', status: 'False' }] : []),
        ...(isReady ? [{ type: 'Ready', status: 'True' }] : []),
      ],
    },
    ...(hostname !== undefined && { spec: { hostname, containers: [] } }),
  };
  return { role, index, state, pod };
}

const reachable = (ip: string): Peer => ({ ip });
const recent = (ip: string): Peer => ({ ip, made: 0 });
const starts: Peer = { state: 'pending' };
const BOTH = 'mnist-0: mnist-worker-0=10.0.0.1 mnist-worker-1=10.0.0.2';

function desired(
  peers: readonly Peer[],
  existing: readonly EndpointSlice[] = [],
  seconds = 0,
  service: Partial<ServiceMembers> = {},
) {
  const replicas = peers.map(replica);
  return desiredEndpointSlices([{ service: SERVICE, replicas, ...service }], existing, NOW_MS + seconds * 1000);
}

function written(peers: readonly Peer[], seconds = 0, created = seconds): EndpointSlice[] {
  return desired(peers, [], seconds).slices.map(({ object }) =>
    ENDPOINT_SLICE_KIND.trim({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: at(created) },
    }),
  );
}

function writes(
  peers: readonly Peer[],
  existing: readonly EndpointSlice[],
  seconds: number,
  service?: Partial<ServiceMembers>,
): string[] {
  const hostsOf = ({ endpoints }: EndpointSlice) =>
    endpoints.map(({ hostname, addresses }) => `${hostname}=${addresses[0]}`);
  return desired(peers, existing, seconds, service).slices.flatMap((slice) => {
    const { object } = slice;
    const before = existing.find(({ metadata }) => metadata?.name === object.metadata?.name);
    if (before === undefined) return [`${object.metadata?.name}: ${hostsOf(object).join(' ')}`];
    const changed = slice.change(before);
    if (changed === undefined || changed === 'Recreate') return [];
    return [`${object.metadata?.name}: ${hostsOf(changed.patch as EndpointSlice).join(' ')}`];
  });
}

describe('the EndpointSlices of a Service', () => {
  it('have the labels of the Service and an endpoint for each pod name', () => {
    const [slice, ...others] = desired([reachable('10.0.0.1'), reachable('10.0.0.2')]).slices;
    expect(others).toEqual([]);
    expect(slice?.object).toMatchObject({
      metadata: {
        name: 'mnist-0',
        labels: { 'kubernetes.io/service-name': 'mnist', 'service.kubernetes.io/headless': '' },
      },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], hostname: 'mnist-worker-0', targetRef: { kind: 'Pod', name: 'mnist-worker-0' } },
        { addresses: ['10.0.0.2'], hostname: 'mnist-worker-1' },
      ],
      ports: [{ name: '', port: 29_400, protocol: 'TCP' }],
    });
  });

  it.each<[what: string, peers: Peer[], expected: string[]]>([
    ['no pod has an address', [starts, { state: 'missing' }], []],
    ['one pod has an address', [reachable('10.0.0.1'), starts], ['mnist-0: mnist-worker-0=10.0.0.1']],
    [
      'one pod has ended',
      [reachable('10.0.0.1'), { ip: '10.0.0.2', phase: 'Succeeded' }],
      ['mnist-0: mnist-worker-0=10.0.0.1'],
    ],
    ['the addresses are IPv6', [reachable('fd00::1')], ['mnist-0-ipv6: mnist-worker-0=fd00::1']],
    [
      'the addresses are IPv4 and IPv6',
      [reachable('fd00::1'), reachable('10.0.0.2')],
      ['mnist-0: mnist-worker-1=10.0.0.2', 'mnist-0-ipv6: mnist-worker-0=fd00::1'],
    ],
  ])('are created with the addresses if %s', (_what, peers, expected) => {
    expect(writes(peers, [], 0)).toEqual(expected);
  });

  it('hold 250 endpoints each', () => {
    const peers = Array.from({ length: 600 }, (_peer, index) =>
      reachable(`10.0.${Math.floor(index / 250)}.${index % 250}`),
    );
    const sizes = desired(peers).slices.map(({ object }) => [object.metadata?.name, object.endpoints.length]);
    expect(sizes).toEqual([
      ['mnist-0', 250],
      ['mnist-1', 250],
      ['mnist-2', 100],
    ]);
  });

  const first = [reachable('10.0.0.1'), starts, starts];
  const second = [reachable('10.0.0.1'), reachable('10.0.0.2'), starts];
  const all = [reachable('10.0.0.1'), reachable('10.0.0.2'), reachable('10.0.0.3')];
  const alone = reachable('10.0.0.1');
  const EMPTY = 'mnist-0: ';
  const NODE = '192.168.0.1';
  const onNode = [reachable(NODE), reachable(NODE)];
  const ON_NODE = `mnist-0: mnist-worker-0=${NODE} mnist-worker-1=${NODE}`;

  it.each<[what: string, before: EndpointSlice[], peers: Peer[], seconds: number, expected: string[]]>([
    ['nothing changed', written(first), first, 60, []],
    ['another pod has an address', written(first), second, 0.5, []],
    ['another pod has had an address for a second', written(first), second, 1, [BOTH]],
    ['another pod has an address shortly after several writes', written(first, 3, 0), second, 5, []],
    ['another pod has an address a while after several writes', written(first, 3, 0), second, 6, [BOTH]],
    ['another pod has an address after the longest delay', written(first, 60, 0), second, 64, [BOTH]],
    ['all pods have an address', written(second), all, 0, [`${BOTH} mnist-worker-2=10.0.0.3`]],
    [
      'all pods have an address except one unschedulable pod',
      written(first),
      [...second.slice(0, 2), { ...starts, isUnscheduled: true }],
      0,
      [BOTH],
    ],
    [
      'a pod was recreated with another address',
      written(all),
      [reachable('10.0.0.9'), ...all.slice(1)],
      0,
      ['mnist-0: mnist-worker-0=10.0.0.9 mnist-worker-1=10.0.0.2 mnist-worker-2=10.0.0.3'],
    ],
    [
      'the last pod shares the address of another one (hostNetwork)',
      written([reachable(NODE), starts]),
      onNode,
      0,
      [ON_NODE],
    ],
    ['another pod shares an address', written([reachable(NODE), starts, starts]), [...onNode, starts], 1, [ON_NODE]],
    [
      "two recreated pods have each other's address",
      written(second.slice(0, 2)),
      [reachable('10.0.0.2'), reachable('10.0.0.1')],
      0,
      ['mnist-0: mnist-worker-0=10.0.0.2 mnist-worker-1=10.0.0.1'],
    ],
    [
      'a pod ended and another pod has its address',
      written(second.slice(0, 2)),
      [reachable('10.0.0.1'), { ip: '10.0.0.2', phase: 'Succeeded' }, reachable('10.0.0.2')],
      0,
      ['mnist-0: mnist-worker-0=10.0.0.1 mnist-worker-2=10.0.0.2'],
    ],
    ['one of two pods on a node has ended', written(onNode), [reachable(NODE), { ip: NODE, phase: 'Failed' }], 14, []],
    [
      'a pod has ended',
      written(second.slice(0, 2)),
      [reachable('10.0.0.1'), { ip: '10.0.0.2', phase: 'Failed' }],
      14,
      [],
    ],
    [
      'a pod ended a while ago',
      written(second.slice(0, 2)),
      [reachable('10.0.0.1'), { ip: '10.0.0.2', phase: 'Failed' }],
      15,
      ['mnist-0: mnist-worker-0=10.0.0.1'],
    ],
    ['the clock was set back', written(first, 100), second, 0, [BOTH]],
    ['the only pod has ended', written([alone]), [{ ...alone, phase: 'Succeeded' }], 14, []],
    ['the only pod ended a while ago', written([alone]), [{ ...alone, phase: 'Succeeded' }], 15, [EMPTY]],
    ['the only pod is to be created again', written([alone]), [{ state: 'missing' }], 0, [EMPTY]],
    ['the only pod was created again', written([alone]), [starts], 0, [EMPTY]],
    [
      'the only pod has another address',
      written([alone]),
      [reachable('10.0.0.9')],
      0,
      ['mnist-0: mnist-worker-0=10.0.0.9'],
    ],
  ])('are updated at the right time: %s', (_what, before, peers, seconds, expected) => {
    expect(writes(peers, before, seconds)).toEqual(expected);
  });

  it.each<[what: string, peers: Peer[], seconds: number, expected: string[], recheckAfterMs?: number]>([
    ['all pods have an address', [recent('10.0.0.1'), recent('10.0.0.2')], 1, [BOTH]],
    ['the others may get an address soon', [recent('10.0.0.1'), starts], 1, [], 2000],
    ['the others are late', [recent('10.0.0.1'), starts], 3, ['mnist-0: mnist-worker-0=10.0.0.1']],
    ['the clock was set back', [{ ip: '10.0.0.1', made: 60 }, starts], 0, ['mnist-0: mnist-worker-0=10.0.0.1']],
  ])('are created at the right time: %s', (_what, peers, seconds, expected, recheckAfterMs) => {
    expect(writes(peers, [], seconds)).toEqual(expected);
    expect(desired(peers, [], seconds).recheckAfterMs).toBe(recheckAfterMs);
  });

  it('are reconciled again when a delayed write is due', () => {
    expect(desired(second, written(first), 0.4).recheckAfterMs).toBe(600);
    expect(desired(second, written(first), 1).recheckAfterMs).toBeUndefined();
    expect(desired(first, written(first), 0.4).recheckAfterMs).toBeUndefined();
  });
});

describe('the EndpointSlices of a Service for ready pods only', () => {
  const service = { ...SERVICE, spec: { publishNotReadyAddresses: false } };
  const ready = (ip: string, made = 0): Peer => ({ ip, made, isReady: true });
  const one = 'mnist-0: mnist-worker-0=10.0.0.1';
  const both = `${one} mnist-worker-1=10.0.0.2`;

  it.each<[what: string, peers: Peer[], seconds: number, expected: string[], recheckAfterMs?: number]>([
    ['all pods are ready', [ready('10.0.0.1'), ready('10.0.0.2')], 1, [both]],
    ['no pod is ready', [recent('10.0.0.1'), recent('10.0.0.2')], 60, []],
    ['the others may be ready soon', [ready('10.0.0.1'), recent('10.0.0.2')], 1, [], 2000],
    ['the others are late', [ready('10.0.0.1'), recent('10.0.0.2')], 3, [one]],
    ['the others are to be recreated', [ready('10.0.0.1'), { state: 'missing' }], 3, [one]],
  ])('are created at the right time: %s', (_what, peers, seconds, expected, recheckAfterMs) => {
    expect(writes(peers, [], seconds, { service })).toEqual(expected);
    expect(desired(peers, [], seconds, { service }).recheckAfterMs).toBe(recheckAfterMs);
  });

  const firstAlone = written([reachable('10.0.0.1')]);

  it.each<[what: string, peers: Peer[], seconds: number, expected: string[]]>([
    ['the last pod is ready', [ready('10.0.0.1'), ready('10.0.0.2')], 0, [both]],
    ['another pod runs', [ready('10.0.0.1'), recent('10.0.0.2')], 60, []],
    ['another pod is ready and the first one is not any more', [recent('10.0.0.1'), ready('10.0.0.2')], 0, []],
  ])('are updated at the right time: %s', (_what, peers, seconds, expected) => {
    expect(writes(peers, firstAlone, seconds, { service })).toEqual(expected);
  });
});

describe('the pods of the seeker role', () => {
  const LAUNCHER = { ...ROLE, name: 'Launcher' };
  const workers = [recent('10.0.0.1'), recent('10.0.0.2')];

  it.each<Peer>([{ state: 'missing' }, starts])('do not wait for a pod of their own role: %j', (launcher) => {
    const peers = [...workers, { ...launcher, role: LAUNCHER }];
    expect(writes(peers, [], 0, { seeker: 'Launcher' })).toEqual([BOTH]);
    expect(writes(peers, [], 0)).toEqual([]);
  });

  it('are listed under their hostname if their pod has another name', () => {
    const launcher = { ...recent('10.0.0.3'), role: LAUNCHER, hostname: 'mnist-launcher' };
    expect(writes([...workers, launcher], [], 0, { seeker: 'Launcher' })).toEqual([`${BOTH} mnist-launcher=10.0.0.3`]);
  });
});
