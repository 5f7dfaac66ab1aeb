import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, workersOf } from '../../test-support/cluster-models.ts';
import * as names from './names.ts';

describe('KubeRay’s checked name', () => {
  it.each([
    [
      '72fbcc7e-e661-4b18e-ca41-e903-fc3ae634b18e-lazer090scholar-director-s',
      'rca41-e903-fc3ae634b18e-lazer090scholar-director-s',
    ],
    [
      '--------566666--------444433-----------222222----------4444',
      'r6666--------444433-----------222222----------4444',
    ],
    ['short', 'short'],
    ['1short', 'rshort'],
    ['a'.repeat(50), 'a'.repeat(50)],
  ])('of %s', (name, expected) => {
    expect(names.checkedName(name)).toBe(expected);
  });
});

describe('the names of a cluster’s objects', () => {
  it('are KubeRay’s', () => {
    const cluster = clusterOf({ worker: { groupName: 'GPU-group' } });
    expect({
      service: names.headServiceName(cluster),
      address: names.headAddress(cluster),
      headless: names.headlessServiceName(cluster),
      ingress: names.headIngressName(cluster),
      autoscaler: names.autoscalerName(cluster),
      secret: names.authSecretName(cluster),
      claim: names.gcsClaimName(cluster),
      cleanup: names.redisCleanupName(cluster),
      headPolicy: names.networkPolicyName(cluster, headOf(cluster)),
      workerPolicy: names.networkPolicyName(cluster, workersOf(cluster)),
      identifier: names.podIdentifier(cluster, 'head'),
    }).toEqual({
      service: 'demo-head-svc',
      address: 'demo-head-svc.team.svc.cluster.local',
      headless: 'demo-headless',
      ingress: 'demo-head-ingress',
      autoscaler: 'demo',
      secret: 'demo',
      claim: 'demo-gcs-pvc',
      cleanup: 'demo-redis-cleanup',
      headPolicy: 'demo-head',
      workerPolicy: 'demo-workers-gpu-group',
      identifier: 'demo-head',
    });
  });

  it('follow a Service that the user has named, unless the name is empty', () => {
    const named = (name: string) => clusterOf({ head: { headService: { metadata: { name } } } });
    expect(names.headAddress(named('front'))).toBe('front.team.svc.cluster.local');
    expect(names.headServiceName(named(''))).toBe('demo-head-svc');
  });

  it("are truncated like KubeRay's", () => {
    const cluster = clusterOf({ name: `x${'a'.repeat(52)}` });
    expect(names.headServiceName(cluster)).toBe(`${'a'.repeat(41)}-head-svc`);
    expect(names.autoscalerName(cluster)).toBe('a'.repeat(50));
    expect(names.redisCleanupName(cluster)).toMatch(/^xa{52}-red-[0-9a-f]{5}$/);
  });
});

describe('the names of pods', () => {
  it('start with the cluster and the group, in lower case', () => {
    const cluster = clusterOf({ worker: { groupName: 'GPU' } });
    expect(names.podNamePrefix(cluster, headOf(cluster))).toBe('demo-head');
    expect(names.podNamePrefix(cluster, workersOf(cluster))).toBe('demo-gpu-worker');
  });

  const prefix = (cluster: string, group: string) => {
    const model = clusterOf({ name: cluster, worker: { groupName: group } });
    return names.podNamePrefix(model, workersOf(model));
  };

  it('are complete up to 57 characters before the number', () => {
    expect(prefix('c'.repeat(40), 'g'.repeat(9))).toBe(`${'c'.repeat(40)}-${'g'.repeat(9)}-worker`);
  });

  it('have a hash if they are longer', () => {
    const long = prefix('c'.repeat(40), 'g'.repeat(10));
    expect(long).toMatch(/^c{40}-g{10}-[0-9a-f]{5}$/);
    expect(long).toHaveLength(57);
    expect(prefix('c'.repeat(53), 'group-a')).not.toBe(prefix('c'.repeat(53), 'group-b'));
  });

  it('have no double dash if they are truncated at one', () => {
    expect(prefix('c'.repeat(50), 'group')).toMatch(/^c{50}-[0-9a-f]{5}$/);
  });
});
