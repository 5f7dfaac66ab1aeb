import type { RayService } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterConfig, rayService } from '../../test-support/ray-services.ts';
import { rayServiceProblems, rayServiceWarnings } from './service-problems.ts';

const withPorts = (...names: readonly string[]) => {
  const ports = names.map((name, index) => ({ name, containerPort: 7000 + index }));
  const container = { name: 'ray-head', image: 'ray:2.60.0', ports };
  return clusterConfig('ray:2.60.0', { headGroupSpec: { template: { spec: { containers: [container] } } } });
};
const withFaultTolerance = (gcsFaultToleranceOptions: object) =>
  clusterConfig('ray:2.60.0', { gcsFaultToleranceOptions });

describe('a RayService is refused', () => {
  it.each<[what: string, service: RayService, path: string, message: string]>([
    ['without a config', rayService({ serveConfigV2: '' }), 'spec.serveConfigV2', 'must be a map in YAML'],
    ['with a config that is no YAML', rayService({ serveConfigV2: '{' }), 'spec.serveConfigV2', 'must be YAML'],
    [
      'with applications that are no list',
      rayService({ serveConfigV2: 'applications: {}' }),
      'spec.serveConfigV2',
      'must have a list',
    ],
    [
      'with an invalid timeout',
      rayService({}, { annotations: { 'ray.io/initializing-timeout': 'soon' } }),
      'metadata.annotations[ray.io/initializing-timeout]',
      'must be a duration over 0',
    ],
    [
      'if its head declares ports, but none for Ray Serve',
      rayService({ rayClusterConfig: withPorts('dashboard') }),
      'spec.rayClusterConfig.headGroupSpec.template.spec.containers[0].ports',
      'add a port named serve',
    ],
    [
      'if two clusters would share their data in Redis',
      rayService({
        rayClusterConfig: withFaultTolerance({ redisAddress: 'redis:6379', externalStorageNamespace: 'x' }),
      }),
      'spec.rayClusterConfig.gcsFaultToleranceOptions.externalStorageNamespace',
      'must not share their state',
    ],
    [
      'if two clusters would share a volume',
      rayService({ rayClusterConfig: withFaultTolerance({ backend: 'rocksdb', storage: { claimName: 'mine' } }) }),
      'spec.rayClusterConfig.gcsFaultToleranceOptions.storage.claimName',
      'must not share their state',
    ],
  ])('%s', (_what, service, path, message) => {
    const [problem] = rayServiceProblems(service);
    expect(problem?.path).toBe(path);
    expect(problem?.message).toContain(message);
  });
});

describe('a RayService is accepted', () => {
  it.each<[what: string, service: RayService]>([
    ['with applications', rayService()],
    ['with an empty list of applications', rayService({ serveConfigV2: 'applications: []' })],
    ['if its head declares a port for Ray Serve', rayService({ rayClusterConfig: withPorts('dashboard', 'serve') })],
    [
      'if its head has none and its Service has ports',
      rayService({
        rayClusterConfig: withPorts('dashboard'),
        serveService: { spec: { ports: [{ name: 'http', port: 80 }] } },
      }),
    ],
    [
      'with a fixed namespace in Redis if it never has two clusters',
      rayService({
        upgradeStrategy: { type: 'None' },
        rayClusterConfig: withFaultTolerance({ redisAddress: 'redis:6379', externalStorageNamespace: 'x' }),
      }),
    ],
  ])('%s', (_what, service) => {
    expect(rayServiceProblems(service)).toEqual([]);
  });
});

describe('warnings about a RayService', () => {
  it('name fields without effect, and a service that no pod can serve', () => {
    const service = rayService({
      serviceUnhealthySecondThreshold: 900,
      excludeHeadPodFromServeSvc: true,
      rayClusterConfig: clusterConfig('ray:2.60.0', { workerGroupSpecs: [], autoscalerOptions: {} }),
    });
    expect(rayServiceWarnings(service).map(({ path }) => path)).toEqual([
      'spec.serviceUnhealthySecondThreshold',
      'spec.rayClusterConfig.autoscalerOptions',
      'spec.excludeHeadPodFromServeSvc',
    ]);
  });

  it('say who must be let through a NetworkPolicy', () => {
    const service = rayService({ rayClusterConfig: clusterConfig('ray:2.60.0', { networkPolicy: {} }) });
    expect(
      rayServiceWarnings(service)
        .map(({ message }) => message)
        .join(),
    ).toContain('port 8000');
  });
});
