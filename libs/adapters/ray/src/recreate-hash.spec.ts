import { createHash } from 'node:crypto';
import type { PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../test-support/cluster-models.ts';
import { recreateHash } from './recreate-hash.ts';

type Given = Parameters<typeof clusterOf>[0];

const hashOf = (given: Given) => recreateHash(clusterOf(given).spec);
const SAME = hashOf({});
const template = (spec: object) => ({
  spec: { containers: [{ name: 'ray-worker', image: 'ray:2.60' }], ...spec } as PodSpec,
});

describe('the hash for upgradeStrategy Recreate', () => {
  it.each<[string, Given]>([
    ['replicas', { worker: { replicas: 3 } }],
    ['minReplicas and maxReplicas', { worker: { minReplicas: 1, maxReplicas: 5 } }],
    ['workers to delete', { worker: { scaleStrategy: { workersToDelete: ['a'] } } }],
    ['suspension', { worker: { suspend: true }, spec: { suspend: true } }],
    ['tolerations', { worker: { template: template({ tolerations: [{ key: 'a' }] }) } }],
    ['scheduling gates', { worker: { template: template({ schedulingGates: [{ name: 'a' }] }) } }],
    ['defaults of an API server', { worker: { numOfHosts: 1, rayStartParams: {} }, head: { rayStartParams: {} } }],
    ['the strategy', { spec: { upgradeStrategy: { type: 'Recreate' } } }],
    ['the manager of the cluster', { spec: { managedBy: 'ray.io/kuberay-operator' } }],
  ])('excludes %s', (_case, given) => {
    expect(hashOf(given)).toBe(SAME);
  });

  it.each<[string, Given]>([
    ['an image of the head', { headContainer: { image: 'ray:2.61' } }],
    ['an image of a worker', { workerContainer: { image: 'ray:2.61' } }],
    ['a parameter', { worker: { rayStartParams: { 'num-cpus': '1' } } }],
    ['the order of arguments', { workerContainer: { args: ['a', 'b'] } }],
    ['Ray’s version', { spec: { rayVersion: '2.60.0' } }],
    ['hosts of a replica', { worker: { numOfHosts: 2 } }],
    ['a group’s name', { worker: { groupName: 'other' } }],
    [
      'a node selector with the name of an excluded field',
      { worker: { template: template({ nodeSelector: { suspend: 'a' } }) } },
    ],
  ])('includes %s', (_case, given) => {
    expect(hashOf(given)).not.toBe(SAME);
  });

  it('depends on the order of lists, but not of fields', () => {
    const labels = (value: Record<string, string>) => hashOf({ worker: { labels: value } });
    expect(labels({ a: '1', b: '2' })).toBe(labels({ b: '2', a: '1' }));
    const args = (value: string[]) => hashOf({ workerContainer: { args: value } });
    expect(args(['a', 'b'])).not.toBe(args(['b', 'a']));
  });

  it('is stable: pods have it over releases', () => {
    const sorted =
      '{"headGroupSpec":{"template":{"spec":{"containers":[{"image":"ray:2.60","name":"ray-head"}]}}},' +
      '"workerGroupSpecs":[{"groupName":"small","template":{"spec":{"containers":[{"image":"ray:2.60","name":"ray-worker"}]}}}]}';
    expect(SAME).toBe(createHash('sha256').update(sorted).digest('hex').slice(0, 32));
  });
});
