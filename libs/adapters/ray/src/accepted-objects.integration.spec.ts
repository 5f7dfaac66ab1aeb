/** A real API server accepts the objects of a RayCluster with every feature. No operator runs. */
import {
  BATCH_JOBS,
  INGRESSES,
  NETWORK_POLICIES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { clusterOf, HEAD_CONTAINER } from '../test-support/cluster-models.ts';
import { networkPolicies } from './access/network-policies.ts';
import { authSecrets } from './access/token-auth.ts';
import { autoscalerRole, autoscalerRoleBinding, autoscalerServiceAccount } from './autoscaler/autoscaler-access.ts';
import { redisCleanupJob } from './fault-tolerance/redis-cleanup-job.ts';
import { gcsClaim } from './fault-tolerance/rocksdb.ts';
import { podNamePrefix } from './model/names.ts';
import { headGroup, workerGroups, type ClusterModel } from './model/ray-cluster-model.ts';
import { podLabels } from './model/ray-labels.ts';
import { podAnnotations, rayPodSpec } from './pods/ray-pod.ts';
import { headIngress } from './services/head-ingress.ts';
import { headService } from './services/head-service.ts';
import { headlessService } from './services/headless-service.ts';

const apiServer = await testCluster();
const { client } = apiServer;

type Given = Parameters<typeof clusterOf>[0];
type Made = readonly [Resource, KubeObject];

/** Accounts first: the API server refuses a pod without its account. */
function objectsOf(cluster: ClusterModel): Made[] {
  const cleanUp = cluster.spec.gcsFaultToleranceOptions?.redisAddress === undefined ? [] : [redisCleanupJob(cluster)];
  const all: [Resource, readonly (KubeObject | undefined)[]][] = [
    [SERVICE_ACCOUNTS, [autoscalerServiceAccount(cluster)]],
    [ROLES, [autoscalerRole(cluster, ['demo-head-0'])]],
    [ROLE_BINDINGS, [autoscalerRoleBinding(cluster)]],
    [SERVICES, [headService(cluster), headlessService(cluster)]],
    [INGRESSES, [headIngress(cluster)]],
    [NETWORK_POLICIES, networkPolicies(cluster)],
    [PERSISTENT_VOLUME_CLAIMS, [gcsClaim(cluster)]],
    [BATCH_JOBS, cleanUp],
    [PODS, podsOf(cluster)],
  ];
  const secrets = authSecrets(cluster).map((secret): Made => [secret.resource, secret.complete(secret.object)]);
  return [
    ...secrets,
    ...all.flatMap(([resource, objects]) =>
      objects.flatMap((object): Made[] => (object === undefined ? [] : [[resource, object]])),
    ),
  ];
}

function podsOf(cluster: ClusterModel): KubeObject[] {
  return [headGroup(cluster), ...workerGroups(cluster)].map((group) => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${podNamePrefix(cluster, group)}-0`,
        labels: podLabels(cluster, group),
        annotations: podAnnotations(cluster, group),
      },
      spec: rayPodSpec(cluster, group, { schedulerName: 'absent', ...group.spec.template.spec! }),
    };
    return pod;
  });
}

/** Named by test, so that names do not collide. */
async function create(cluster: ClusterModel, [resource, object]: Made): Promise<KubeObject> {
  const metadata = { ...object.metadata, namespace: cluster.namespace };
  return client.create(resource, { ...object, metadata });
}

const REDIS = { redisAddress: 'redis:6379', redisUsername: { value: 'ray' }, redisPassword: { value: 'secret' } };

describe('the API server accepts the objects of a cluster', () => {
  it.each<[string, Given, number]>([
    ['with only required fields', {}, 3],
    ['of Ray with one health check', { spec: { rayVersion: '2.60.0' } }, 3],
    [
      'with an autoscaler that resizes',
      {
        annotations: { 'ray.io/ippr': '{}' },
        spec: { enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v2' } },
        head: { rayStartParams: { port: '6380' } },
      },
      6,
    ],
    ['with Redis', { spec: { gcsFaultToleranceOptions: REDIS, authOptions: {} } }, 5],
    ['with RocksDB', { spec: { gcsFaultToleranceOptions: { backend: 'rocksdb', storage: { subPath: 'a' } } } }, 4],
    ['with a token', { spec: { authOptions: {} } }, 4],
    ['with tokens of ServiceAccounts', { spec: { authOptions: { enableK8sTokenAuth: true } } }, 3],
    [
      'with NetworkPolicies',
      {
        operatorNamespace: 'muster',
        labels: { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'train' },
        spec: { networkPolicy: { worker: { egressRules: [{ ports: [{ port: 53, protocol: 'UDP' }] }] } } },
      },
      5,
    ],
    ['with several hosts per replica', { worker: { numOfHosts: 2 } }, 4],
    ['with an Ingress', { annotations: { 'kubernetes.io/ingress.class': 'nginx' }, head: { enableIngress: true } }, 4],
    ['with ingressOptions', { head: { enableIngress: true, ingressOptions: { host: 'ray.example', path: '/ui' } } }, 4],
    [
      'with ports that conflict with Muster’s',
      {
        headContainer: {
          ports: [
            { name: 'prom', containerPort: 8080 },
            { containerPort: 9999 },
            { name: 'dns', containerPort: 53, protocol: 'UDP' },
          ],
        },
        head: {
          serviceType: 'NodePort',
          headService: {
            metadata: { name: 'front' },
            spec: { ports: [{ name: 'dashboard', port: 80, targetPort: 8265 }] },
          },
        },
      },
      3,
    ],
    [
      'with a long name and group',
      {
        name: `r${'a'.repeat(52)}`,
        worker: { groupName: `Group-${'b'.repeat(57)}` },
        spec: { enableInTreeAutoscaling: true },
      },
      6,
    ],
    [
      'with the user’s own containers, variables, probes and volumes',
      {
        head: {
          template: {
            spec: {
              initContainers: [{ name: 'mine', image: 'mine:1' }],
              containers: [
                {
                  ...HEAD_CONTAINER,
                  command: ['own'],
                  env: [{ name: 'RAY_CLUSTER_NAME', value: 'mine' }],
                  livenessProbe: { tcpSocket: { port: 1 } },
                  volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
                },
                { name: 'ray-job-submitter', image: 'mine:1' },
              ],
              volumes: [{ name: 'shm', emptyDir: {} }],
            },
          },
        },
      },
      3,
    ],
  ])('%s', async (_case, given, count) => {
    const cluster = { ...clusterOf(given), namespace: await apiServer.namespace() };
    const made = objectsOf(cluster);
    expect(made.map(([resource]) => resource.kind)).toHaveLength(count);
    for (const each of made) await create(cluster, each);
  });
});
