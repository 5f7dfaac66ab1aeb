import type { Container, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, templateSpec, workersOf } from '../../test-support/cluster-models.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { podAnnotations, rayPodSpec } from './ray-pod.ts';

function headPod(cluster: ClusterModel): PodSpec {
  return rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster)));
}

function workerPod(cluster: ClusterModel): PodSpec {
  return rayPodSpec(cluster, workersOf(cluster), templateSpec(workersOf(cluster)));
}

/** The variables of a container, with their values or fields. */
function envOf(container: Container | undefined): [string, unknown][] {
  return (container?.env ?? []).map(({ name, value, valueFrom }) => [
    name,
    value ?? valueFrom?.fieldRef?.fieldPath ?? valueFrom,
  ]);
}

const named = (env: [string, unknown][]) => env.map(([name]) => name);

const IDENTITY: [string, unknown][] = [
  ['RAY_CLUSTER_NAME', "metadata.labels['ray.io/cluster']"],
  ['RAY_CLUSTER_NAMESPACE', 'metadata.namespace'],
  ['RAY_CLOUD_INSTANCE_ID', 'metadata.name'],
  ['RAY_NODE_TYPE_NAME', "metadata.labels['ray.io/group']"],
];
const HEAD_AT: [string, unknown][] = [
  ['FQ_RAY_IP', 'demo-head-svc.team.svc.cluster.local'],
  ['RAY_IP', 'demo-head-svc'],
];

describe('the environment', () => {
  it('of a head', () => {
    const [ray] = headPod(clusterOf({ headContainer: { env: [{ name: 'MINE', value: '1' }] } })).containers;
    expect(envOf(ray)).toEqual([
      ['MINE', '1'],
      ...IDENTITY,
      [
        'KUBERAY_GEN_RAY_START_CMD',
        'ray start --head  --block  --dashboard-agent-listen-port=52365  --dashboard-host=0.0.0.0  --metrics-export-port=8080 ',
      ],
      ['RAY_PORT', '6379'],
      ['RAY_ADDRESS', '127.0.0.1:6379'],
      ['RAY_USAGE_STATS_KUBERAY_IN_USE', '1'],
      ['RAY_USAGE_STATS_EXTRA_TAGS', 'kuberay_version=muster;kuberay_crd=RayCluster'],
      ['RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE', '1'],
    ]);
  });

  it('of a worker', () => {
    const [ray] = workerPod(clusterOf({ head: { rayStartParams: { port: '6380' } } })).containers;
    expect(envOf(ray)).toEqual([
      ...HEAD_AT,
      ...IDENTITY,
      [
        'KUBERAY_GEN_RAY_START_CMD',
        'ray start  --address=demo-head-svc.team.svc.cluster.local:6380  --block  ' +
          '--dashboard-agent-listen-port=52365  --metrics-export-port=8080 ',
      ],
      ['RAY_PORT', '6380'],
      ['RAY_ADDRESS', 'demo-head-svc.team.svc.cluster.local:6380'],
      ['RAY_USAGE_STATS_KUBERAY_IN_USE', '1'],
      ['RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE', '1'],
    ]);
  });

  it('keeps the user’s variables, except for those that identify the pod', () => {
    const kept = ['RAY_PORT', 'RAY_ADDRESS', 'RAY_USAGE_STATS_KUBERAY_IN_USE', 'RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE'];
    const env = [...kept, 'RAY_CLUSTER_NAME'].map((name) => ({ name, value: 'mine' }));
    const [ray] = headPod(clusterOf({ headContainer: { env } })).containers;
    const all = envOf(ray);
    expect(kept.map((name) => all.filter(([other]) => other === name))).toEqual(kept.map((name) => [[name, 'mine']]));
    // Kubernetes uses the last of two variables of one name.
    expect(all.findLast(([name]) => name === 'RAY_CLUSTER_NAME')).toEqual(IDENTITY[0]);
  });

  it('has the kind that owns the cluster', () => {
    const [ray] = headPod(clusterOf({ labels: { 'ray.io/originated-from-crd': 'RayJob' } })).containers;
    expect(envOf(ray)).toContainEqual(['RAY_USAGE_STATS_EXTRA_TAGS', 'kuberay_version=muster;kuberay_crd=RayJob']);
  });

  it("has the head's address in init containers of head and workers, after their own variables", () => {
    const spec: PodSpec = {
      initContainers: [{ name: 'mine', image: 'a:1', env: [{ name: 'A', value: '1' }] }],
      containers: [{ name: 'ray', image: 'ray:1' }],
    };
    const cluster = clusterOf();
    const inits = rayPodSpec(cluster, headOf(cluster), spec).initContainers!;
    expect(inits.map(envOf)).toEqual([[['A', '1'], ...HEAD_AT]]);
    expect(rayPodSpec(cluster, workersOf(cluster), spec).initContainers?.map(({ name }) => name)).toEqual([
      'mine',
      'wait-gcs-ready',
    ]);
  });

  it('does not change sidecars', () => {
    const sidecar: Container = { name: 'logs', image: 'logs:1', command: ['tail'] };
    const cluster = clusterOf();
    const spec = { containers: [{ name: 'ray', image: 'ray:1' }, sidecar] };
    expect(rayPodSpec(cluster, workersOf(cluster), spec).containers[1]).toEqual(sidecar);
  });
});

describe('the init container that waits for the head', () => {
  const ray: Partial<Container> = {
    imagePullPolicy: 'Always',
    env: [{ name: 'RAY_USE_TLS', value: '1' }],
    volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
    securityContext: { runAsUser: 1000 },
    resources: { limits: { 'nvidia.com/gpu': '8' } },
  };

  it("has the Ray container's connection to the head, and small resources", () => {
    const [wait] = workerPod(clusterOf({ workerContainer: ray })).initContainers!;
    expect({ ...wait, args: [] }).toEqual({
      name: 'wait-gcs-ready',
      image: 'ray:2.60',
      imagePullPolicy: 'Always',
      command: ['/bin/bash', '-c', '--'],
      args: [],
      env: [
        { name: 'RAY_USE_TLS', value: '1' },
        { name: 'FQ_RAY_IP', value: 'demo-head-svc.team.svc.cluster.local' },
        { name: 'RAY_IP', value: 'demo-head-svc' },
      ],
      volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
      securityContext: { runAsUser: 1000 },
      resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '200m', memory: '256Mi' } },
    });
  });

  it('exists in workers only', () => {
    expect(headPod(clusterOf())).not.toHaveProperty('initContainers');
  });
});

describe('probes', () => {
  const probesOf = (container: Container | undefined) => [container?.livenessProbe, container?.readinessProbe];
  const HEALTHZ = { httpGet: { path: '/api/healthz', port: 52365 } };

  it.each(['2.53.0', '2.60.1', '3.0.0', 'v2.53'])('of Ray %s check the whole node at once', (rayVersion) => {
    const cluster = clusterOf({ spec: { rayVersion } });
    expect(probesOf(headPod(cluster).containers[0])).toEqual([
      {
        ...HEALTHZ,
        initialDelaySeconds: 30,
        periodSeconds: 5,
        timeoutSeconds: 5,
        successThreshold: 1,
        failureThreshold: 120,
      },
      {
        ...HEALTHZ,
        initialDelaySeconds: 10,
        periodSeconds: 5,
        timeoutSeconds: 5,
        successThreshold: 1,
        failureThreshold: 10,
      },
    ]);
    expect(probesOf(workerPod(cluster).containers[0]).map((probe) => probe?.timeoutSeconds)).toEqual([2, 2]);
  });

  const lastLines = (container: Container | undefined) => {
    const [shell, option, script = ''] = container?.readinessProbe?.exec?.command ?? [];
    return [shell, option, ...script.split('\n').filter((line) => line.startsWith('ask '))];
  };

  it.each([undefined, '2.52.9', '1.13', 'nightly'])(
    'of Ray %s check the raylet, and on the head the GCS',
    (version) => {
      const cluster = clusterOf({ spec: version === undefined ? {} : { rayVersion: version } });
      expect(lastLines(headPod(cluster).containers[0])).toEqual([
        'bash',
        '-c',
        'ask 52365 api/local_raylet_healthz',
        'ask 8265 api/gcs_healthz',
      ]);
      expect(lastLines(workerPod(cluster).containers[0])).toEqual(['bash', '-c', 'ask 52365 api/local_raylet_healthz']);
    },
  );

  it('use the ports of the group', () => {
    const rayStartParams = { 'dashboard-agent-listen-port': '5000', 'dashboard-port': '5001' };
    expect(lastLines(headPod(clusterOf({ head: { rayStartParams } })).containers[0]).slice(2)).toEqual([
      'ask 5000 api/local_raylet_healthz',
      'ask 5001 api/gcs_healthz',
    ]);
    const cluster = clusterOf({ spec: { rayVersion: '2.53.0' }, worker: { rayStartParams } });
    expect(workerPod(cluster).containers[0]?.livenessProbe?.httpGet?.port).toBe(5000);
  });

  it('do not use a disabled dashboard', () => {
    const rayStartParams = { 'include-dashboard': 'false' };
    expect(lastLines(headPod(clusterOf({ head: { rayStartParams } })).containers[0]).slice(2)).toEqual([
      'ask 52365 api/local_raylet_healthz',
    ]);
  });

  it('are the user’s if given, each by itself', () => {
    const livenessProbe = { tcpSocket: { port: 1 } };
    const [ray] = workerPod(
      clusterOf({ spec: { rayVersion: '2.60.0' }, workerContainer: { livenessProbe } }),
    ).containers;
    expect(ray?.livenessProbe).toEqual(livenessProbe);
    expect(ray?.readinessProbe).toMatchObject(HEALTHZ);
  });
});

describe('/dev/shm', () => {
  const MOUNT = { name: 'shared-mem', mountPath: '/dev/shm' };

  it.each<[string, Container['resources'], object]>([
    ['the limit of memory', { limits: { memory: '2Gi' }, requests: { memory: '1Gi' } }, { sizeLimit: '2Gi' }],
    ['the requested memory if there is no limit', { requests: { memory: '1Gi' } }, { sizeLimit: '1Gi' }],
    ['no size without either', {}, {}],
  ])('has %s', (_case, resources, size) => {
    const pod = workerPod(clusterOf({ workerContainer: { resources: resources! } }));
    expect(pod.volumes).toEqual([{ name: 'shared-mem', emptyDir: { medium: 'Memory', ...size } }]);
    expect(pod.containers[0]?.volumeMounts).toEqual([MOUNT]);
  });

  it.each<[string, Parameters<typeof clusterOf>[0]]>([
    ['something is mounted there', { workerContainer: { volumeMounts: [{ name: 'own', mountPath: '/dev/shm' }] } }],
    ['the object store is elsewhere', { worker: { rayStartParams: { 'plasma-directory': '/tmp' } } }],
  ])('is not changed if %s', (_case, given) => {
    expect(workerPod(clusterOf(given))).not.toHaveProperty('volumes');
  });
});

describe('the ports of the Ray container', () => {
  const METRICS = { name: 'metrics', containerPort: 8080 };
  const GCS = { name: 'gcs-server', containerPort: 6379 };
  const DASHBOARD = { name: 'dashboard', containerPort: 8265 };
  const CLIENT = { name: 'client', containerPort: 10_001 };
  const headPorts = (given: Parameters<typeof clusterOf>[0] = {}) => headPod(clusterOf(given)).containers[0]?.ports;
  const workerPorts = (given: Parameters<typeof clusterOf>[0] = {}) => workerPod(clusterOf(given)).containers[0]?.ports;

  it("are Ray's on a head, and that of metrics on a worker", () => {
    expect(headPorts()).toEqual([GCS, DASHBOARD, CLIENT, METRICS]);
    expect(workerPorts()).toEqual([METRICS]);
  });

  it("follow Ray's parameters", () => {
    const metrics = { 'metrics-export-port': '9090' };
    const rayStartParams = { port: '6380', 'dashboard-port': '8266', 'ray-client-server-port': '10002', ...metrics };
    expect(headPorts({ head: { ...clusterOf().spec.headGroupSpec, rayStartParams } })).toEqual([
      { ...GCS, containerPort: 6380 },
      { ...DASHBOARD, containerPort: 8266 },
      { ...CLIENT, containerPort: 10_002 },
      { ...METRICS, containerPort: 9090 },
    ]);
    expect(workerPorts({ worker: { rayStartParams: metrics } })).toEqual([{ ...METRICS, containerPort: 9090 }]);
  });

  it.each<[string, NonNullable<Container['ports']>, NonNullable<Container['ports']>]>([
    ['of the number', [{ name: 'gcs', containerPort: 6379 }, { containerPort: 8265 }], [CLIENT, METRICS]],
    ['of the name', [{ name: 'dashboard', containerPort: 9000 }], [GCS, CLIENT, METRICS]],
    ['of the name, for metrics', [{ name: 'metrics', containerPort: 9000 }], [GCS, DASHBOARD, CLIENT]],
  ])('are the user’s if there is one %s', (_case, ports, added) => {
    expect(headPorts({ headContainer: { ports } })).toEqual([...ports, ...added]);
  });

  const proxy: Container = {
    name: 'proxy',
    ports: [
      { name: 'web', containerPort: 8265 },
      { name: 'stats', containerPort: 8080 },
    ],
  };

  it.each([
    ['exclude those of other containers, except the one for metrics', {}, [GCS, CLIENT, METRICS]],
    ["exclude all of other containers in the host's network", { hostNetwork: true }, [GCS, CLIENT]],
  ])('%s', (_what, network, ports) => {
    const cluster = clusterOf();
    const { containers } = templateSpec(headOf(cluster));
    const pod = rayPodSpec(cluster, headOf(cluster), { ...network, containers: [...containers, proxy] });
    expect(pod.containers.map((each) => each.ports)).toEqual([ports, proxy.ports]);
  });

  it("have each number once, whatever Ray's parameters are", () => {
    const rayStartParams = { 'dashboard-port': '6379', 'ray-client-server-port': '8080' };
    expect(headPorts({ head: { ...clusterOf().spec.headGroupSpec, rayStartParams } })).toEqual([GCS, METRICS]);
  });
});

describe('GCS fault tolerance with Redis', () => {
  const secret = { secretKeyRef: { name: 'redis', key: 'password' } };
  const gcsFaultToleranceOptions = {
    redisAddress: 'redis:6379',
    redisUsername: { value: 'ray' },
    redisPassword: { valueFrom: secret },
  };

  it('by options', () => {
    const cluster = clusterOf({ spec: { gcsFaultToleranceOptions } });
    expect(envOf(headPod(cluster).containers[0]).slice(0, 4)).toEqual([
      ['RAY_external_storage_namespace', 'uid-1'],
      ['RAY_REDIS_ADDRESS', 'redis:6379'],
      ['REDIS_USERNAME', 'ray'],
      ['REDIS_PASSWORD', secret],
    ]);
    expect(envOf(workerPod(cluster).containers[0])[0]).toEqual(['RAY_gcs_rpc_server_reconnect_timeout_s', '600']);
  });

  it('by annotation', () => {
    const cluster = clusterOf({
      annotations: { 'ray.io/ft-enabled': 'true', 'ray.io/external-storage-namespace': 'shared' },
      head: { rayStartParams: { 'redis-password': 'secret' } },
      headContainer: { env: [{ name: 'RAY_REDIS_ADDRESS', value: 'redis:6379' }] },
    });
    expect(envOf(headPod(cluster).containers[0]).slice(0, 3)).toEqual([
      ['RAY_REDIS_ADDRESS', 'redis:6379'],
      ['RAY_external_storage_namespace', 'shared'],
      ['REDIS_PASSWORD', 'secret'],
    ]);
  });

  it('keeps the user’s own variables', () => {
    const cluster = clusterOf({
      annotations: { 'ray.io/ft-enabled': 'true' },
      headContainer: { env: [{ name: 'RAY_external_storage_namespace', value: 'own' }] },
      workerContainer: { env: [{ name: 'RAY_gcs_rpc_server_reconnect_timeout_s', value: '5' }] },
    });
    const names = [...named(envOf(headPod(cluster).containers[0])), ...named(envOf(workerPod(cluster).containers[0]))];
    expect(names.filter((name) => name.startsWith('RAY_external') || name.startsWith('RAY_gcs'))).toHaveLength(2);
  });

  it.each<[string, Parameters<typeof clusterOf>[0], Record<string, string>]>([
    ['without', {}, { 'ray.io/ft-enabled': 'false' }],
    [
      'by options',
      { spec: { gcsFaultToleranceOptions: { ...gcsFaultToleranceOptions, externalStorageNamespace: 'mine' } } },
      { 'ray.io/ft-enabled': 'true', 'ray.io/external-storage-namespace': 'mine' },
    ],
    ['with RocksDB', { spec: { gcsFaultToleranceOptions: { backend: 'rocksdb' } } }, { 'ray.io/ft-enabled': 'true' }],
  ])('%s, is in the annotations of the head', (_case, given, expected) => {
    const cluster = clusterOf(given);
    const {
      'ray.io/kuberay-version': _version,
      'muster.dev/head-ports': _ports,
      'ray.io/upgrade-strategy-recreate-hash': _hash,
      ...annotations
    } = podAnnotations(cluster, headOf(cluster));
    expect(annotations).toEqual(expected);
  });
});

describe('GCS fault tolerance with RocksDB', () => {
  it.each<[string, object, object, string]>([
    ['a claim of Muster’s', {}, {}, 'demo-gcs-pvc'],
    ['the user’s claim and folder', { storage: { claimName: 'mine', subPath: 'a' } }, { subPath: 'a' }, 'mine'],
  ])('mounts %s', (_case, options, mount, claimName) => {
    const cluster = clusterOf({ spec: { gcsFaultToleranceOptions: { backend: 'rocksdb', ...options } } });
    const pod = headPod(cluster);
    expect(envOf(pod.containers[0]).slice(0, 2)).toEqual([
      ['RAY_gcs_storage', 'rocksdb'],
      ['RAY_gcs_storage_path', '/data/gcs'],
    ]);
    expect(pod.containers[0]?.volumeMounts).toContainEqual({ name: 'gcs-storage', mountPath: '/data/gcs', ...mount });
    expect(pod.volumes).toContainEqual({ name: 'gcs-storage', persistentVolumeClaim: { claimName } });
    expect(workerPod(cluster).volumes?.map(({ name }) => name)).toEqual(['shared-mem']);
    expect(named(envOf(workerPod(cluster).containers[0]))).toContain('RAY_gcs_rpc_server_reconnect_timeout_s');
  });
});

describe('the annotations of a pod', () => {
  it('are the template’s, and the origin of its hash', () => {
    const template = { metadata: { annotations: { mine: '1' } }, spec: { containers: [] } };
    const cluster = clusterOf({ worker: { template }, annotations: { 'ray.io/overwrite-container-cmd': 'true' } });
    expect(podAnnotations(cluster, workersOf(cluster))).toEqual({
      mine: '1',
      'ray.io/overwrite-container-cmd': 'true',
      'ray.io/kuberay-version': 'muster',
      'ray.io/upgrade-strategy-recreate-hash': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
  });
});
