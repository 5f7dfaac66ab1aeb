import { describe, expect, it } from 'vitest';
import { CHANGED_CONFIG, clusterConfig, CONFIG, ServiceLife } from '../../test-support/ray-services.ts';

/** A service that serves, and its cluster. */
function ready(...given: ConstructorParameters<typeof ServiceLife>) {
  const life = new ServiceLife(...given);
  const name = life.bringUp();
  return { life, name };
}

const selected = (life: ServiceLife) =>
  [...life.services.values()].map(({ metadata, spec }) => [metadata?.name, spec?.selector?.['ray.io/cluster']]);

describe('a new RayService', () => {
  it('records the name of its cluster, and creates that', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    expect(name).toMatch(/^fruit-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.services.size).toBe(0);
    expect(life.shown('Ready')).toBe('False Initializing');
    expect(life.shown('UpgradeInProgress')).toBe('False Initializing');
    expect(life.condition('Ready')?.message).toBe(`RayCluster ${name} has no head yet`);
  });

  it('gives the cluster its labels, annotations, and the hash of its spec', () => {
    const life = new ServiceLife({}, { labels: { team: 'a' }, annotations: { 'ray.io/ft-enabled': 'false' } });
    life.run();
    const { metadata, spec } = [...life.clusters.values()][0]!;
    expect(metadata?.labels).toEqual({
      team: 'a',
      'ray.io/originated-from-cr-name': 'fruit',
      'ray.io/originated-from-crd': 'RayService',
    });
    expect(metadata?.annotations).toEqual({
      'ray.io/ft-enabled': 'false',
      'ray.io/hash-without-replicas-and-workers-to-delete': expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      'ray.io/num-worker-groups': '1',
      'ray.io/kuberay-version': 'muster',
    });
    expect(metadata?.ownerReferences).toMatchObject([{ kind: 'RayService', name: 'fruit', controller: true }]);
    expect(spec).toEqual(life.service.spec.rayClusterConfig);
  });

  it('submits its config once when the head is ready, and serves when all applications run', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    life.startPods(name);
    life.serveOn(name, { applications: { fruit: 'DEPLOYING' } });
    life.run();
    expect(life.puts).toEqual([`${name} {"applications":[{"name":"fruit","import_path":"fruit.app"}]}`]);
    expect(life.condition('Ready')?.message).toBe(`RayCluster ${name}: application fruit is DEPLOYING`);
    expect([life.pending, life.active]).toEqual([name, undefined]);
    life.serveOn(name);
    life.run();
    expect([life.pending, life.active]).toEqual([undefined, name]);
    expect(selected(life)).toEqual([
      ['fruit-head-svc', name],
      ['fruit-serve-svc', name],
    ]);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
    expect(life.shown('UpgradeInProgress')).toBe('False NoPendingCluster');
    expect(life.status).toMatchObject({ serviceStatus: 'Running', numServeEndpoints: 2, observedGeneration: 1 });
    expect(life.puts).toHaveLength(1);
    expect(life.events.filter((reason) => reason === 'UpdatedServeApplications')).toHaveLength(1);
  });

  it('is not ready before its serve Service exists', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    life.startPods(name);
    life.serveOn(name);
    const seen: string[] = [];
    for (let runs = 0; runs < 10; runs++) {
      const services = selected(life).map(([service]) => service);
      life.runOnce();
      seen.push(`${services.includes('fruit-serve-svc') ? 'with' : 'without'} ${life.shown('Ready')}`);
    }
    expect(seen).not.toContain('without True NonZeroServeEndpoints');
    expect(seen.at(-1)).toBe('with True NonZeroServeEndpoints');
  });

  it('is not ready on an answer from before the submission', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    life.startPods(name);
    life.serveOn(name, { put: 'no answer' });
    life.runOnce();
    expect(life.puts).toHaveLength(1);
    expect(life.active).toBeUndefined();
  });

  it('writes nothing while nothing changes', () => {
    const { life } = ready();
    const writes = life.statusWrites;
    for (let seconds = 0; seconds < 60; seconds += 2) {
      life.wait(2);
      expect(life.runOnce()).toEqual([]);
    }
    expect(life.statusWrites).toBe(writes);
  });
});

describe('a changed config', () => {
  it('is submitted once to the running cluster, which stays', () => {
    const { life, name } = ready();
    life.change({ serveConfigV2: CHANGED_CONFIG });
    life.run();
    expect(life.puts.slice(1)).toEqual([`${name} {"applications":[{"name":"fruit","import_path":"fruit.other"}]}`]);
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });

  it('that Ray Serve refuses is reported with its words, and not submitted again', () => {
    const { life, name } = ready();
    life.serveOn(name, { put: { status: 400, body: 'route_prefix must start with /' } });
    life.change({ serveConfigV2: CHANGED_CONFIG });
    life.run();
    life.wait(60);
    life.run();
    expect(life.puts).toHaveLength(2);
    expect(life.events).toContain('FailedToUpdateServeApplications');
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
    life.serveOn(name);
    life.change({ serveConfigV2: CHANGED_CONFIG.replace('other', 'third') });
    life.run();
    expect(life.puts).toHaveLength(3);
  });

  it('that a new cluster refuses is why the service is not ready', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    life.startPods(name);
    life.serveOn(name, { put: { status: 400, body: 'no module named fruit' } });
    life.run();
    expect(life.condition('Ready')?.message).toContain(
      `RayCluster ${name}: Ray Serve refuses spec.serveConfigV2: no module named fruit`,
    );
  });
});

describe('a changed image', () => {
  const changed = { rayClusterConfig: clusterConfig('ray:2.61.0') };

  it('makes a second cluster, which alone gets the config, and gets the requests when it serves', () => {
    const { life, name } = ready();
    life.change(changed);
    life.run();
    const next = life.pending ?? '';
    expect([life.active, [...life.clusters.keys()]]).toEqual([name, [name, next]]);
    expect(life.shown('UpgradeInProgress')).toBe('True BothActivePendingClustersExist');
    expect(life.condition('UpgradeInProgress')?.message).toContain(`RayCluster ${next} has no head yet`);
    life.startPods(next);
    life.serveOn(next, { applications: { fruit: 'DEPLOYING' } });
    life.run();
    expect(life.puts.slice(1).map((put) => put.split(' ')[0])).toEqual([next]);
    expect(life.condition('UpgradeInProgress')?.message).toContain('application fruit is DEPLOYING');
    expect(selected(life).map(([, cluster]) => cluster)).toEqual([name, name]);
    expect(life.status.activeServiceStatus?.applicationStatuses).toEqual({ fruit: { status: 'RUNNING' } });
    life.serveOn(next);
    life.run();
    expect([life.active, life.pending]).toEqual([next, undefined]);
    expect(selected(life).map(([, cluster]) => cluster)).toEqual([next, next]);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });

  it('does not move the requests before the new cluster has a pod for them', () => {
    const { life, name } = ready();
    life.change(changed);
    life.run();
    const next = life.pending ?? '';
    life.startPods(next, { workers: 0 });
    life.serveOn(next, { proxy: 503 });
    life.run();
    expect(life.active).toBe(name);
    expect(life.condition('UpgradeInProgress')?.message).toContain('no pod gets requests');
    life.serveOn(next);
    life.run();
    expect(life.active).toBe(next);
  });

  it('deletes the old cluster after the delay, which goes on over a restart of the operator', () => {
    const { life, name } = ready();
    life.change(changed);
    const next = life.bringUp();
    expect(life.clusters.get(name)?.metadata?.annotations?.['muster.dev/delete-after']).toBe('2026-01-01T00:01:00Z');
    life.wait(30);
    life.restartOperator();
    life.change({ rayClusterDeletionDelaySeconds: 600 });
    life.run();
    life.wait(29);
    expect([...life.clusters.keys()]).toEqual([name, next]);
    life.wait(1);
    life.run();
    expect([...life.clusters.keys()]).toEqual([next]);
  });

  it('that is reverted drops the new cluster', () => {
    const { life, name } = ready();
    life.change(changed);
    life.run();
    const next = life.pending ?? '';
    life.change({ rayClusterConfig: clusterConfig() });
    life.run();
    expect([life.active, life.pending]).toEqual([name, undefined]);
    expect(life.shown('UpgradeInProgress')).toBe('False NoPendingCluster');
    expect(life.clusters.get(next)?.metadata?.annotations).toHaveProperty(['muster.dev/delete-after']);
    life.wait(60);
    life.run();
    expect([...life.clusters.keys()]).toEqual([name]);
  });

  it('that is changed again before the new cluster serves makes another one', () => {
    const { life, name } = ready();
    life.change(changed);
    life.run();
    const first = life.pending ?? '';
    life.wait(10);
    life.change({ rayClusterConfig: clusterConfig('ray:2.62.0') });
    life.run();
    const second = life.pending ?? '';
    expect(second).not.toBe(first);
    expect(life.active).toBe(name);
    expect(life.clusters.get(first)?.metadata?.annotations).toHaveProperty(['muster.dev/delete-after']);
  });

  it('does not affect the cluster under the strategy None, but the config does', () => {
    const { life, name } = ready({ upgradeStrategy: { type: 'None' } });
    const before = life.clusters.get(name);
    life.change({ ...changed, serveConfigV2: CHANGED_CONFIG });
    life.run();
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.clusters.get(name)).toEqual(before);
    expect(life.puts).toHaveLength(2);
  });

  it('takes effect under the strategy None when the cluster is deleted', () => {
    const { life, name } = ready({ upgradeStrategy: { type: 'None' } });
    life.change(changed);
    life.run();
    life.pods = [];
    life.clusters.delete(name);
    life.run();
    const next = life.pending ?? '';
    expect([...life.clusters.keys()]).toEqual([next]);
    expect(life.services.size).toBe(2);
    life.startPods(next);
    life.serveOn(next);
    life.run();
    expect(life.active).toBe(next);
  });

  it('lets a config that was changed with it reach only the new cluster, also if the old head is lost', () => {
    const { life, name } = ready();
    life.change({ ...changed, serveConfigV2: CHANGED_CONFIG });
    life.run();
    life.startPods(name, { uid: 'other' });
    life.serveOn(name, { applications: {} });
    life.runOnce();
    expect(life.puts.slice(1)).toEqual([`${name} {"applications":[{"name":"fruit","import_path":"fruit.app"}]}`]);
  });
});

describe('a change of worker groups', () => {
  const config = clusterConfig();
  const [small] = config.workerGroupSpecs!;
  const large = { ...small!, groupName: 'large' };

  it.each([
    ['replicas', { replicas: 3 }, { replicas: 3 }],
    ['bounds', { minReplicas: 2, maxReplicas: 9 }, { minReplicas: 2, maxReplicas: 9 }],
  ])('in its %s is written to the running cluster', (_what, sizes, expected) => {
    const { life, name } = ready();
    life.change({ rayClusterConfig: { ...config, workerGroupSpecs: [{ ...small!, ...sizes }] } });
    life.run();
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.clusters.get(name)?.spec.workerGroupSpecs).toMatchObject([expected]);
  });

  it('leaves replicas to the autoscaler, but not their bounds', () => {
    const scaled = { ...config, enableInTreeAutoscaling: true };
    const { life, name } = ready({ rayClusterConfig: scaled });
    const { spec } = life.clusters.get(name)!;
    life.clusters.set(name, {
      ...life.clusters.get(name)!,
      spec: { ...spec, workerGroupSpecs: [{ ...small!, replicas: 4, scaleStrategy: { workersToDelete: ['w'] } }] },
    });
    expect(life.run()).toEqual([]);
    life.change({ rayClusterConfig: { ...scaled, workerGroupSpecs: [{ ...small!, maxReplicas: 9 }] } });
    life.run();
    expect(life.clusters.get(name)?.spec.workerGroupSpecs).toMatchObject([{ replicas: 4, maxReplicas: 9 }]);
  });

  it.each(['NewCluster', 'None'] as const)('that adds one at the end changes the running cluster (%s)', (type) => {
    const { life, name } = ready({ upgradeStrategy: { type } });
    life.change({ rayClusterConfig: { ...config, workerGroupSpecs: [small!, large] } });
    life.run();
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.clusters.get(name)?.spec.workerGroupSpecs?.map(({ groupName }) => groupName)).toEqual([
      'small',
      'large',
    ]);
    expect(life.clusters.get(name)?.metadata?.annotations?.['ray.io/num-worker-groups']).toBe('2');
  });

  it('that adds one in front makes a second cluster', () => {
    const { life } = ready();
    life.change({ rayClusterConfig: { ...config, workerGroupSpecs: [large, small!] } });
    life.run();
    expect(life.clusters.size).toBe(2);
  });
});

describe('a suspension of the cluster in the spec', () => {
  it('reaches the running cluster, and is left alone if the spec does not set it', () => {
    const { life, name } = ready();
    life.change({ rayClusterConfig: clusterConfig('ray:2.60.0', { suspend: true }) });
    life.run();
    expect(life.clusters.get(name)?.spec.suspend).toBe(true);
    life.change({ rayClusterConfig: clusterConfig('ray:2.60.0', { suspend: false }) });
    life.run();
    expect([...life.clusters.values()].map(({ spec }) => spec.suspend)).toEqual([false]);
    life.clusters.set(name, { ...life.clusters.get(name)!, spec: { ...life.clusters.get(name)!.spec, suspend: true } });
    life.change({ rayClusterConfig: clusterConfig() });
    life.run();
    expect(life.clusters.get(name)?.spec.suspend).toBe(true);
  });
});

describe('a restart of the operator', () => {
  it('submits nothing again', () => {
    const { life } = ready();
    life.restartOperator();
    life.run();
    expect(life.puts).toHaveLength(1);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });
});

describe('a lost head', () => {
  it('gets the config again when it has no applications', () => {
    const { life, name } = ready();
    life.stopPods(name);
    life.run();
    expect(life.shown('Ready')).toBe('False ZeroServeEndpoints');
    life.startPods(name, { uid: 'other' });
    life.serveOn(name, { applications: {} });
    life.runOnce();
    life.serveOn(name);
    life.run();
    expect(life.puts).toHaveLength(2);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });

  it('with fault tolerance still has its applications, and gets nothing', () => {
    const { life, name } = ready();
    life.startPods(name, { restarts: 1 });
    life.run();
    expect(life.puts).toHaveLength(1);
  });

  it('gets no requests while its proxy is not healthy', () => {
    const { life, name } = ready();
    life.serveOn(name, { proxy: 503 });
    life.run();
    expect(life.status.numServeEndpoints).toBe(1);
  });
});

describe('a dashboard that does not answer', () => {
  it('is why the service is not ready, and is called again at growing intervals', () => {
    const life = new ServiceLife();
    life.run();
    const name = life.pending ?? '';
    life.startPods(name);
    life.serveOn(name, { put: 'no answer' });
    life.runOnce();
    life.runOnce();
    expect(life.condition('Ready')?.message).toBe(
      `RayCluster ${name}: spec.serveConfigV2 cannot be submitted: it did not respond within 30 s`,
    );
  });

  it('does not change what is known of its applications', () => {
    const { life, name } = ready();
    life.serveOn(name, { status: 503 });
    life.run();
    expect(life.status.activeServiceStatus?.applicationStatuses).toEqual({ fruit: { status: 'RUNNING' } });
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
    expect(life.puts).toHaveLength(1);
  });
});

describe('the initializing timeout', () => {
  const annotations = { 'ray.io/initializing-timeout': '5m' };

  it.each<[string, (life: ServiceLife, name: string) => void, string]>([
    [
      'a refused config',
      (life, name) => {
        life.startPods(name);
        life.serveOn(name, { put: { status: 400, body: 'no' } });
      },
      'Ray Serve refuses spec.serveConfigV2',
    ],
    [
      'a dashboard that does not answer',
      (life, name) => {
        life.startPods(name);
        life.serveOn(name, { put: { status: 503, body: 'away' } });
      },
      'the dashboard answers 503: away',
    ],
    [
      'a head that cannot start',
      (life, name) => life.setHeadReady(name, false, 'ImagePullBackOff', 'not found'),
      'the head is not ready: ImagePullBackOff: not found',
    ],
  ])('ends the wait for %s, and a changed spec tries again', (_what, prepare, message) => {
    const life = new ServiceLife({}, { annotations });
    life.run();
    const name = life.pending ?? '';
    prepare(life, name);
    for (let runs = 0; runs < 5; runs++) life.runOnce();
    life.wait(299);
    life.runOnce();
    expect(life.shown('Ready')).toBe('False Initializing');
    life.wait(1);
    for (let runs = 0; runs < 5; runs++) life.runOnce();
    expect(life.shown('Ready')).toBe('False InitializingTimeout');
    expect(life.condition('Ready')?.message).toContain(message);
    expect([life.active, life.pending]).toEqual([undefined, undefined]);
    expect(life.events.filter((reason) => reason === 'RayServiceInitializingTimeout')).toHaveLength(1);
    life.wait(60);
    life.run();
    expect(life.clusters.size).toBe(0);
    life.change({ serveConfigV2: CHANGED_CONFIG });
    life.run();
    expect(life.shown('Ready')).toBe('False Initializing');
    expect(life.clusters.size).toBe(1);
    life.wait(200);
    expect(life.run()).toEqual([]);
  });
});

describe('an invalid change of a running service', () => {
  it('is reported, and the service goes on with its last valid spec', () => {
    const { life, name } = ready();
    life.change({ serveConfigV2: 'applications: none', rayClusterConfig: clusterConfig('ray:2.61.0') });
    life.run();
    expect(life.events).toContain('InvalidChange');
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
    expect(life.condition('Ready')?.message).toContain('spec.serveConfigV2: Invalid value: must have a list');
    expect(life.status.observedGeneration).toBe(1);
    expect([...life.clusters.keys()]).toEqual([name]);
    life.startPods(name, { uid: 'other' });
    life.serveOn(name, { applications: {} });
    life.runOnce();
    expect(life.puts[1]).toBe(`${name} {"applications":[{"name":"fruit","import_path":"fruit.app"}]}`);
    life.serveOn(name, { proxy: 503 });
    life.run();
    expect(life.status.numServeEndpoints).toBe(1);
  });

  it('does not keep it from being suspended, and a correction is applied', () => {
    const { life } = ready();
    life.change({ serveConfigV2: 'applications: none' });
    life.run();
    life.change({ serveConfigV2: CHANGED_CONFIG });
    life.run();
    expect(life.puts).toHaveLength(2);
    expect(life.status.observedGeneration).toBe(3);
    life.change({ serveConfigV2: '', suspend: true });
    life.run();
    expect(life.clusters.size).toBe(0);
  });

  it('of a new service is reported without creating anything', () => {
    const life = new ServiceLife({ serveConfigV2: '' });
    life.run();
    expect(life.shown('Ready')).toBe('False ValidationFailed');
    expect(life.clusters.size).toBe(0);
    life.change({ serveConfigV2: CONFIG });
    life.run();
    expect(life.shown('Ready')).toBe('False Initializing');
    expect(life.clusters.size).toBe(1);
  });
});

describe('suspend', () => {
  it('deletes clusters and Services at once, also during an upgrade, and starts with a new cluster', () => {
    const { life } = ready();
    life.change({ rayClusterConfig: clusterConfig('ray:2.61.0') });
    life.run();
    life.change({ suspend: true });
    life.runOnce();
    expect(life.shown('Suspending')).toBe('True SuspendRequested');
    expect([life.shown('Ready'), life.active, life.pending]).toEqual(['False SuspendInProgress', undefined, undefined]);
    expect([life.clusters.size, life.services.size]).toEqual([0, 0]);
    life.run();
    expect([life.shown('Suspending'), life.shown('Suspended')]).toEqual([
      'False SuspendComplete',
      'True SuspendComplete',
    ]);
    expect(life.run()).toEqual([]);
    life.wait(1000);
    life.change({ suspend: false });
    life.run();
    expect([life.shown('Ready'), life.shown('Suspended')]).toEqual(['False Initializing', 'False RayServiceResumed']);
    expect(life.condition('Ready')?.lastTransitionTime).toBe('2026-01-01T00:16:40Z');
    expect(life.clusters.size).toBe(1);
  });

  it('is completed before the service may resume', () => {
    const { life, name } = ready();
    const cluster = life.clusters.get(name)!;
    life.change({ suspend: true });
    life.runOnce();
    life.clusters.set(name, {
      ...cluster,
      metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['test/keep'] },
    });
    life.change({ suspend: false });
    life.run();
    expect(life.shown('Suspending')).toBe('True SuspendInProgress');
    expect([...life.clusters.keys()]).toEqual([name]);
    life.clusters.delete(name);
    life.run();
    expect(life.shown('Suspended')).toBe('False RayServiceResumed');
    expect(life.clusters.size).toBe(1);
  });

  it('of a new service creates nothing', () => {
    const life = new ServiceLife({ suspend: true });
    life.run();
    expect([life.clusters.size, life.shown('Suspended')]).toEqual([0, 'True SuspendComplete']);
  });
});

describe('a service without pods for requests', () => {
  it('says that its head is excluded and that there are no workers', () => {
    const life = new ServiceLife({
      excludeHeadPodFromServeSvc: true,
      rayClusterConfig: clusterConfig('ray:2.60.0', { workerGroupSpecs: [] }),
    });
    life.run();
    const name = life.pending ?? '';
    life.startPods(name, { workers: 0 });
    life.serveOn(name);
    life.run();
    expect(life.condition('Ready')?.message).toContain('the head is excluded');
    expect(life.condition('Ready')?.message).toContain('there are no workers');
    expect(life.polled().filter((probe) => probe.startsWith('proxy'))).toEqual([]);
  });
});

describe("objects of KubeRay's operator", () => {
  it('are taken over without a new cluster', () => {
    const { life, name } = ready();
    const cluster = life.clusters.get(name)!;
    life.clusters.set(name, {
      ...cluster,
      metadata: {
        ...cluster.metadata,
        annotations: {
          'ray.io/hash-without-replicas-and-workers-to-delete': 'HQ0ENB4LAJ5R2ABCDEFGHIJKLMNOPQRS',
          'ray.io/num-worker-groups': '1',
          'ray.io/kuberay-version': 'v1.7.0',
        },
      },
    });
    const { muster: _record, activeServiceStatus, ...status } = life.status;
    const { submitted: _submitted, ...active } = activeServiceStatus ?? {};
    life.service = { ...life.service, status: { ...status, activeServiceStatus: active } };
    life.restartOperator();
    life.run();
    expect([...life.clusters.keys()]).toEqual([name]);
    expect(life.active).toBe(name);
    expect(life.clusters.get(name)?.metadata?.annotations?.['ray.io/kuberay-version']).toBe('muster');
    expect(life.clusters.get(name)?.spec).toEqual(cluster.spec);
    expect(life.puts).toHaveLength(2);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });
});

describe('an incremental upgrade', () => {
  const options = { gatewayClassName: 'istio', maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 30 };
  const upgradeStrategy = { type: 'NewClusterWithIncrementalUpgrade' as const, clusterUpgradeOptions: options };
  const scaled = (image?: string) => clusterConfig(image, { enableInTreeAutoscaling: true });

  /** A service whose route is accepted, and its cluster. */
  function routed() {
    const { life, name } = ready({ upgradeStrategy, rayClusterConfig: scaled() });
    life.acceptRoute();
    life.run();
    return { life, name };
  }

  const shares = (life: ServiceLife) =>
    [life.status.activeServiceStatus, life.status.pendingServiceStatus].map(
      (side) => side?.rayClusterName && [side.targetCapacity, side.trafficRoutedPercent],
    );
  const weights = (life: ServiceLife) => {
    const { spec } = life.others.get('fruit-httproute') as { spec: { rules: { backendRefs: object[] }[] } };
    return spec.rules[0]?.backendRefs.map((each) => {
      const { name, weight } = each as { name: string; weight: number };
      return [name, weight];
    });
  };

  it('gives a service a Gateway, a route and a Service for its cluster, in place of the serve Service', () => {
    const { life, name } = routed();
    expect([...life.services.keys()].toSorted()).toEqual(['fruit-head-svc', `${name}-serve-svc`].toSorted());
    expect(life.others.get('fruit-gateway')).toMatchObject({ spec: { gatewayClassName: 'istio' } });
    expect(weights(life)).toEqual([[`${name}-serve-svc`, 100]]);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
    expect(life.puts[0]).toContain('"target_capacity":100');
    expect(life.run()).toEqual([]);
  });

  it('moves capacity, then requests, and ends with the old cluster unused', () => {
    const { life, name } = routed();
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    const next = life.pending ?? '';
    expect(shares(life)[1]?.[1]).toBe(0);
    expect([name, next].map((each) => life.clusters.get(each)?.spec.workerGroupSpecs?.[0]?.replicas)).toEqual([
      1,
      undefined,
    ]);
    life.startPods(next);
    life.serveOn(next);
    const seen: unknown[] = [];
    for (let steps = 0; steps < 60 && life.active !== next; steps++) {
      life.acceptRoute();
      life.runOnce();
      const now = JSON.stringify(shares(life));
      if (seen.at(-1) !== now) seen.push(now);
      life.wait(10);
    }
    expect(life.active).toBe(next);
    expect(seen).toContain('[[100,100],[50,0]]');
    expect(seen).toContain('[[100,75],[50,25]]');
    expect(seen).toContain('[[100,50],[50,50]]');
    const submissions = life.events.filter((reason) => reason.startsWith('UpdatedServe'));
    const [config, capacity] = ['UpdatedServeApplications', 'UpdatedServeTargetCapacity'];
    // The config of each cluster, and the capacities 50 and 100 of the new one, or 50 of the old one.
    expect(submissions).toEqual([config, config, capacity, capacity]);
    life.acceptRoute();
    life.run();
    expect(weights(life)).toEqual([[`${next}-serve-svc`, 100]]);
    expect(life.clusters.get(name)?.metadata?.annotations).toHaveProperty(['muster.dev/delete-after']);
    expect(life.run()).toEqual([]);
  });

  it('moves nothing while the Gateway is not accepted, and says so', () => {
    const { life } = ready({ upgradeStrategy, rayClusterConfig: scaled() });
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    const next = life.pending ?? '';
    life.startPods(next);
    life.serveOn(next);
    life.run();
    life.wait(600);
    life.run();
    expect(shares(life)).toEqual([
      [100, 100],
      [0, 0],
    ]);
    expect(life.condition('UpgradeInProgress')?.message).toContain('no controller has processed it');
  });

  it('is rolled back when the spec is reverted, and drops the new cluster', () => {
    const { life, name } = routed();
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    const next = life.pending ?? '';
    life.startPods(next);
    life.serveOn(next);
    const play = (until: () => boolean) => {
      for (let steps = 0; steps < 80 && !until(); steps++) {
        life.acceptRoute();
        life.runOnce();
        life.wait(10);
      }
    };
    play(() => life.status.pendingServiceStatus?.trafficRoutedPercent === 50);
    life.change({ rayClusterConfig: scaled() });
    life.runOnce();
    expect(life.shown('RollbackInProgress')).toBe('True DesiredClusterSpecChanged');
    play(() => life.pending === undefined);
    expect([life.active, life.pending]).toEqual([name, undefined]);
    expect(shares(life)[0]).toEqual([100, 100]);
    life.run();
    expect(life.shown('RollbackInProgress')).toBeUndefined();
    expect(life.shown('UpgradeInProgress')).toBe('False NoPendingCluster');
  });

  it('gives all requests to the new cluster when the old one is lost', () => {
    const { life, name } = routed();
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    const next = life.pending ?? '';
    life.startPods(next);
    life.serveOn(next);
    life.acceptRoute();
    life.run(30);
    life.stopPods(name);
    life.clusters.delete(name);
    for (let steps = 0; steps < 10 && life.active !== next; steps++) {
      life.acceptRoute();
      life.runOnce();
      life.wait(10);
    }
    expect(life.active).toBe(next);
    expect(life.shown('Ready')).toBe('True NonZeroServeEndpoints');
  });

  it('leaves its objects as they are while the spec is invalid', () => {
    const { life, name } = routed();
    life.change({ serveConfigV2: 'no map' });
    life.run();
    expect(life.others.size).toBe(2);
    expect([...life.services.keys()].toSorted()).toEqual(['fruit-head-svc', `${name}-serve-svc`].toSorted());
  });

  it('waits for a valid spec, and moves nothing meanwhile', () => {
    const { life, name } = routed();
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    const next = life.pending ?? '';
    life.startPods(next);
    life.serveOn(next);
    life.acceptRoute();
    life.run(30);
    const before = shares(life);
    life.change({ serveConfigV2: 'no map' });
    life.wait(600);
    life.run();
    expect([life.active, life.pending]).toEqual([name, next]);
    expect(shares(life)).toEqual(before);
    expect(life.others.size).toBe(2);
  });

  it('begins with no capacity of the new cluster if the strategy changes during an upgrade', () => {
    const { life } = ready({ rayClusterConfig: scaled() });
    life.change({ rayClusterConfig: scaled('ray:2.61.0') });
    life.run();
    life.change({ upgradeStrategy });
    life.runOnce();
    expect(shares(life)[0]).toEqual([100, 100]);
    expect(shares(life)[1]?.[1]).toBe(0);
  });

  it('ends its objects when the strategy changes', () => {
    const { life, name } = routed();
    life.change({ upgradeStrategy: { type: 'NewCluster' } });
    life.run();
    expect(life.others.size).toBe(0);
    expect([...life.services.keys()].toSorted()).toEqual(['fruit-head-svc', 'fruit-serve-svc']);
    expect(life.active).toBe(name);
    expect(life.puts.at(-1)).not.toContain('target_capacity');
  });
});
