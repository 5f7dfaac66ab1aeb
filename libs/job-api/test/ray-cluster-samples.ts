/** RayClusters as users of KubeRay write them, each for one feature. */
import type { AcceptedManifest } from './admission-table.ts';
import { rayCluster } from './ray-manifests.ts';

const IMAGE = 'example.com/ray:2.52.0';

const resources = (cpu: string, memory: string) => ({ limits: { cpu, memory }, requests: { cpu, memory } });

const HEAD_PORTS = [
  { containerPort: 6379, name: 'gcs-server' },
  { containerPort: 8265, name: 'dashboard' },
  { containerPort: 10_001, name: 'client' },
];

const headGroup = (container: object = {}, group: object = {}, pod: object = {}) => ({
  rayStartParams: { 'dashboard-host': '0.0.0.0' },
  template: {
    metadata: { labels: { team: 'vision' } },
    spec: {
      containers: [
        { name: 'ray-head', image: IMAGE, ports: HEAD_PORTS, resources: resources('1', '5Gi'), ...container },
      ],
      ...pod,
    },
  },
  ...group,
});

const workerGroup = (group: object = {}, container: object = {}, pod: object = {}) => ({
  groupName: 'small-group',
  replicas: 1,
  minReplicas: 1,
  maxReplicas: 5,
  rayStartParams: {},
  template: {
    spec: {
      containers: [
        {
          name: 'ray-worker',
          image: IMAGE,
          lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', 'ray stop'] } } },
          resources: resources('1', '1Gi'),
          ...container,
        },
      ],
      ...pod,
    },
  },
  ...group,
});

const sample = (name: string, spec: object, metadata: object = {}) =>
  rayCluster({ rayVersion: '2.52.0', headGroupSpec: headGroup(), ...spec }, name, metadata);

export const RAY_CLUSTER_SAMPLES: readonly AcceptedManifest[] = [
  {
    what: 'a head and a group of workers',
    manifest: sample('raycluster-kuberay', { workerGroupSpecs: [workerGroup()] }),
  },
  { what: 'a head alone', manifest: sample('raycluster-head-only', {}) },
  {
    what: 'autoscaler v2',
    manifest: sample('raycluster-autoscaler-v2', {
      enableInTreeAutoscaling: true,
      autoscalerOptions: {
        version: 'v2',
        upscalingMode: 'Default',
        idleTimeoutSeconds: 60,
        imagePullPolicy: 'IfNotPresent',
        securityContext: {},
        env: [{ name: 'AUTOSCALER_UPDATE_INTERVAL_S', value: '5' }],
        envFrom: [],
        volumeMounts: [],
        resources: resources('500m', '512Mi'),
      },
      headGroupSpec: headGroup({}, { rayStartParams: { 'num-cpus': '0' } }, { restartPolicy: 'Never' }),
      workerGroupSpecs: [
        workerGroup(
          { replicas: 0, minReplicas: 0, maxReplicas: 10, idleTimeoutSeconds: 30 },
          {},
          { restartPolicy: 'Never' },
        ),
      ],
    }),
  },
  {
    what: 'GCS fault tolerance with Redis, by its options',
    manifest: sample('raycluster-external-redis', {
      gcsFaultToleranceOptions: {
        redisAddress: 'redis:6379',
        redisUsername: { value: 'default' },
        redisPassword: { valueFrom: { secretKeyRef: { name: 'redis-password-secret', key: 'password' } } },
        externalStorageNamespace: 'my-raycluster-storage',
      },
      headGroupSpec: headGroup(
        { volumeMounts: [{ mountPath: '/tmp/ray', name: 'ray-logs' }] },
        {},
        {
          volumes: [{ name: 'ray-logs', emptyDir: {} }],
        },
      ),
      workerGroupSpecs: [workerGroup()],
    }),
  },
  {
    what: 'GCS fault tolerance with Redis, by annotations',
    manifest: sample(
      'raycluster-external-redis-annotations',
      {
        headGroupSpec: headGroup(
          {
            env: [
              { name: 'RAY_REDIS_ADDRESS', value: 'redis:6379' },
              {
                name: 'REDIS_PASSWORD',
                valueFrom: { secretKeyRef: { name: 'redis-password-secret', key: 'password' } },
              },
            ],
          },
          { rayStartParams: { 'redis-password': '$REDIS_PASSWORD' } },
        ),
        workerGroupSpecs: [workerGroup()],
      },
      { annotations: { 'ray.io/ft-enabled': 'true', 'ray.io/external-storage-namespace': 'my-raycluster-storage' } },
    ),
  },
  {
    what: 'GCS fault tolerance with RocksDB on a volume',
    manifest: sample('raycluster-rocksdb', {
      gcsFaultToleranceOptions: {
        backend: 'rocksdb',
        storage: {
          size: '1Gi',
          storageClassName: 'standard',
          accessModes: ['ReadWriteOnce'],
          deletionPolicy: 'Retain',
        },
      },
      workerGroupSpecs: [workerGroup()],
    }),
  },
  {
    what: 'token authentication',
    manifest: sample('raycluster-auth', { authOptions: { mode: 'token' }, workerGroupSpecs: [workerGroup()] }),
  },
  {
    what: "token authentication with the user's own Secret",
    manifest: sample('raycluster-auth-secret', { authOptions: { secretName: 'my-token' } }),
  },
  {
    what: 'replicas of several hosts, on TPUs',
    manifest: sample('raycluster-tpu', {
      workerGroupSpecs: [
        workerGroup(
          { groupName: 'tpu-group', numOfHosts: 4, replicas: 2, maxReplicas: 4 },
          { resources: { limits: { cpu: '8', 'google.com/tpu': '4', memory: '16Gi' } } },
          { nodeSelector: { 'cloud.google.com/gke-tpu-topology': '2x2x4' } },
        ),
      ],
    }),
  },
  {
    what: 'a network policy',
    manifest: sample('raycluster-network-policy', {
      networkPolicy: {
        mode: 'DenyAll',
        head: {
          ingressRules: [
            {
              from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
              ports: [{ port: 8080, protocol: 'TCP' }],
            },
          ],
          egressRules: [{ ports: [{ port: 53, protocol: 'UDP' }] }],
        },
        worker: { egressRules: [{ ports: [{ port: 53, protocol: 'UDP' }] }] },
        workerGroups: [{ groupName: 'small-group', egressRules: [{}] }],
      },
      workerGroupSpecs: [workerGroup()],
    }),
  },
  {
    what: 'resources and labels of the nodes',
    manifest: sample('raycluster-labels', {
      headGroupSpec: headGroup({}, { resources: { CPU: '0' }, labels: { 'ray.io/region': 'eu-west-1' } }),
      workerGroupSpecs: [
        workerGroup({ resources: { CPU: '4', memory: '8Gi', 'my-resource': '1' }, labels: { 'ray.io/zone': 'a' } }),
      ],
    }),
  },
  {
    what: 'a customized head Service and Ingress',
    manifest: sample('raycluster-ingress', {
      headServiceAnnotations: { 'example.com/owner': 'vision' },
      headGroupSpec: headGroup(
        {},
        {
          serviceType: 'ClusterIP',
          enableIngress: true,
          ingressOptions: { host: 'ray.example.com', path: '/', pathType: 'Prefix', tls: [{ secretName: 'ray-tls' }] },
          headService: {
            metadata: { name: 'my-head', annotations: { 'example.com/team': 'vision' } },
            spec: { type: 'ClusterIP', ports: [{ name: 'serve-2', port: 8001, targetPort: 8001 }] },
          },
        },
      ),
    }),
  },
  {
    what: 'containers with their own commands',
    manifest: sample(
      'raycluster-overwrite-command',
      { headGroupSpec: headGroup({ command: ['/bin/bash', '-c', 'ray start --head --block'] }) },
      { annotations: { 'ray.io/overwrite-container-cmd': 'true' } },
    ),
  },
];
