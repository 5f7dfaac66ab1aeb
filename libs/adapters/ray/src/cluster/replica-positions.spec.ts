/** Indexes of replicas and hosts, from World to Plan. */
import type { Pod, RayWorkerGroupSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { passOver, ready } from '../../test-support/cluster-worlds.ts';

const REPLICA = 'ray.io/worker-group-replica-index';
const NAME = 'ray.io/worker-group-replica-name';
const HOST = 'ray.io/replica-host-index';

const nameOf = ({ metadata }: Pod) => metadata?.name ?? '';

/** `<pod> <replica index> <replica name> <host index>`, for workers. */
function shown(pods: readonly Pod[]): string[] {
  return pods
    .filter(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'worker')
    .map((pod) => {
      const { [REPLICA]: replica, [NAME]: name = '-', [HOST]: host = '-' } = pod.metadata?.labels ?? {};
      return `${nameOf(pod)} ${replica} ${name} ${host}`;
    });
}

/** Created and deleted pods after a cluster with that group has lost these pods. */
function afterLossOf(worker: Partial<RayWorkerGroupSpec>, lost: readonly string[]) {
  const given = { worker };
  const first = passOver({ given });
  const pods = first.create.pods.map(ready);
  const settled = passOver({ given, pods, record: first.status });
  const left = pods.filter((pod) => !lost.includes(nameOf(pod)));
  const { create, remove } = passOver({ given, pods: left, record: settled.status ?? first.status });
  return { made: shown(create.pods), removed: remove.pods.map(nameOf) };
}

describe('the labels of workers', () => {
  it.each<[string, Partial<RayWorkerGroupSpec>, string[]]>([
    ['of one host each', { replicas: 2 }, ['demo-small-worker-0 0 - -', 'demo-small-worker-1 1 - -']],
    [
      'of several hosts',
      { replicas: 2, numOfHosts: 2 },
      [
        'demo-small-worker-0 0 small-0 0',
        'demo-small-worker-1 0 small-0 1',
        'demo-small-worker-2 1 small-1 0',
        'demo-small-worker-3 1 small-1 1',
      ],
    ],
  ])('%s', (_case, worker, expected) => {
    expect(shown(passOver({ given: { worker } }).create.pods)).toEqual(expected);
  });

  it('cannot be set by a template', () => {
    const containers = [{ name: 'ray-worker', image: 'ray:2.60' }];
    const template = { metadata: { labels: { [REPLICA]: '7' } }, spec: { containers } };
    expect(shown(passOver({ given: { worker: { replicas: 1, template } } }).create.pods)).toEqual([
      'demo-small-worker-0 0 - -',
    ]);
  });

  it('are not on a head', () => {
    const [head] = passOver({}).create.pods;
    expect(Object.keys(head?.metadata?.labels ?? {}).filter((key) => [REPLICA, NAME, HOST].includes(key))).toEqual([]);
  });
});

describe('a lost worker', () => {
  it('is recreated under another name, with its index', () => {
    const { made, removed } = afterLossOf({ replicas: 3 }, ['demo-small-worker-1']);
    expect(made).toEqual(['demo-small-worker-3 1 - -']);
    expect(removed).toEqual([]);
  });

  it("of several hosts causes the deletion of its replica's other hosts", () => {
    const { made, removed } = afterLossOf({ replicas: 2, numOfHosts: 2 }, ['demo-small-worker-1']);
    expect(made).toEqual(['demo-small-worker-4 0 small-2 0', 'demo-small-worker-5 0 small-2 1']);
    expect(removed).toEqual(['demo-small-worker-0']);
  });
});

describe('the pods of a replica of KubeRay', () => {
  const kubeRays = (name: string, replica: number, host: number): Pod => {
    const [head, worker] = passOver({ given: { worker: { replicas: 1 } } }).create.pods;
    const pod = ready({ ...(name === 'demo-head-x7k2p' ? head! : worker!) });
    const { 'muster.dev/ordinal': _ordinal, ...labels } = pod.metadata?.labels ?? {};
    const own = { [REPLICA]: String(replica), [NAME]: `small-${replica}abcd`, [HOST]: String(host) };
    return { ...pod, metadata: { ...pod.metadata, name, uid: `uid of ${name}`, labels: { ...labels, ...own } } };
  };
  const pods = [
    kubeRays('demo-small-worker-a', 1, 0),
    kubeRays('demo-small-worker-b', 0, 1),
    kubeRays('demo-small-worker-c', 1, 1),
    kubeRays('demo-small-worker-d', 0, 0),
  ];
  const given = { worker: { replicas: 2, numOfHosts: 2 } };

  it('are kept', () => {
    const { create, remove } = passOver({ given, pods });
    expect(shown(create.pods)).toEqual([]);
    expect(remove.pods).toEqual([]);
  });

  it('are deleted together when one is lost', () => {
    const record = passOver({ given, pods }).status;
    const { create, remove } = passOver({ given, pods: pods.slice(1), record });
    expect(remove.pods.map(nameOf)).toEqual(['demo-small-worker-c']);
    expect(shown(create.pods)).toEqual(['demo-small-worker-4 1 small-2 0', 'demo-small-worker-5 1 small-2 1']);
  });
});
