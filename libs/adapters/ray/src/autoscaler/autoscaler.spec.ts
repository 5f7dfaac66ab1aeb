import type { PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, templateSpec, workersOf } from '../../test-support/cluster-models.ts';
import { rayPodSpec } from '../pods/ray-pod.ts';
import { autoscalerRole, autoscalerRoleBinding, autoscalerServiceAccount } from './autoscaler-access.ts';
import { autoscalerVersion, neverRestartsInPlace } from './autoscaler-version.ts';

type Given = Parameters<typeof clusterOf>[0];

const scaled = (given: Given = {}, autoscalerOptions?: object) =>
  clusterOf({
    ...given,
    spec: { enableInTreeAutoscaling: true, ...(autoscalerOptions && { autoscalerOptions }), ...given?.spec },
  });

function headPod(given: Given = {}, options?: object): PodSpec {
  const cluster = scaled(given, options);
  return rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster)));
}

const START = 'ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)';

describe('the container of the autoscaler', () => {
  it("is in the head's pod, with its image and logs", () => {
    const { containers, volumes, serviceAccountName } = headPod();
    expect(containers[1]).toEqual({
      name: 'autoscaler',
      image: 'ray:2.60',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/bash', '-c', '--'],
      args: [START],
      env: [
        { name: 'RAY_CLUSTER_NAME', valueFrom: { fieldRef: { fieldPath: "metadata.labels['ray.io/cluster']" } } },
        { name: 'RAY_CLUSTER_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
        { name: 'RAY_HEAD_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'KUBERAY_CRD_VER', value: 'v1' },
        { name: 'KUBERAY_GEN_AUTOSCALER_START_CMD', value: START },
      ],
      resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '500m', memory: '512Mi' } },
      volumeMounts: [{ name: 'ray-logs', mountPath: '/tmp/ray' }],
    });
    expect(containers[0]?.volumeMounts).toContainEqual({ name: 'ray-logs', mountPath: '/tmp/ray' });
    expect(volumes).toContainEqual({ name: 'ray-logs', emptyDir: {} });
    expect(serviceAccountName).toBe('demo');
  });

  it('does not exist without autoscaling, nor in workers', () => {
    const cluster = clusterOf();
    expect(rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster))).containers).toHaveLength(1);
    const workers = scaled();
    const pod = rayPodSpec(workers, workersOf(workers), templateSpec(workersOf(workers)));
    expect(pod.containers).toHaveLength(1);
    expect(pod).not.toHaveProperty('serviceAccountName');
  });

  it('has the given options', () => {
    const options = {
      image: 'own:1',
      imagePullPolicy: 'Always',
      resources: { limits: { cpu: '1' } },
      securityContext: { runAsUser: 1 },
      env: [{ name: 'MINE', value: '1' }],
      envFrom: [{ configMapRef: { name: 'mine' } }],
      volumeMounts: [{ name: 'mine', mountPath: '/mine' }],
      command: ['sh', '-c'],
      args: ['ulimit -n 65536; $KUBERAY_GEN_AUTOSCALER_START_CMD'],
    };
    const { env, envFrom, volumeMounts, ...replaced } = options;
    const container = headPod({}, options).containers[1];
    expect(container).toMatchObject(replaced);
    expect(container?.env?.slice(5)).toEqual(env);
    expect(container?.envFrom).toEqual(envFrom);
    expect(container?.volumeMounts).toEqual([...volumeMounts, { name: 'ray-logs', mountPath: '/tmp/ray' }]);
  });

  it('runs its default command if the options have empty lists', () => {
    expect(headPod({}, { command: [], args: [] }).containers[1]).toMatchObject({
      command: ['/bin/bash', '-c', '--'],
      args: [START],
    });
  });

  it('gets the address of the GCS if that is not the default', () => {
    const { containers } = headPod({ head: { rayStartParams: { port: '6380' } } });
    expect(containers[1]?.args).toEqual([`${START} --gcs-address 127.0.0.1:6380`]);
  });
});

describe('the version of the autoscaler', () => {
  const byEnv = { headContainer: { env: [{ name: 'RAY_enable_autoscaler_v2', value: '1' }] } };

  it.each<[string, Given, object | undefined, ReturnType<typeof autoscalerVersion>]>([
    ['Ray’s own default', {}, undefined, undefined],
    ['v1', {}, { version: 'v1' }, 'v1'],
    ['v2', {}, { version: 'v2' }, 'v2'],
    ['v2 by the head’s environment', byEnv, undefined, 'v2'],
    ['none', { spec: { enableInTreeAutoscaling: false } }, { version: 'v2' }, undefined],
  ])('%s', (_case, given, options, version) => {
    expect(autoscalerVersion(scaled(given, options))).toBe(version);
  });

  const versionEnv = (pod: PodSpec) =>
    pod.containers[0]?.env?.filter(({ name }) => name === 'RAY_enable_autoscaler_v2').map(({ value }) => value);

  it.each<[string, Given, object | undefined, string[], string | undefined]>([
    ['v2', {}, { version: 'v2' }, ['true'], 'Never'],
    ['v1', {}, { version: 'v1' }, ['false'], undefined],
    ['by default', {}, undefined, [], undefined],
    ['v2 by environment', byEnv, undefined, ['1'], 'Never'],
  ])(
    '%s, sets it for the head, and restarts nothing in place under v2',
    (_case, given, options, env, restartPolicy) => {
      const cluster = scaled(given, options);
      const head = rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster)));
      const worker = rayPodSpec(cluster, workersOf(cluster), templateSpec(workersOf(cluster)));
      expect(versionEnv(head)).toEqual(env);
      expect(versionEnv(worker)).toEqual([]);
      expect([head.restartPolicy, worker.restartPolicy]).toEqual([restartPolicy, restartPolicy]);
      expect(neverRestartsInPlace(cluster)).toBe(restartPolicy === 'Never');
    },
  );
});

describe('the rights of the autoscaler', () => {
  const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
  const SCALE = { apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['get', 'patch'], resourceNames: ['demo'] };
  const metadata = {
    name: 'demo',
    namespace: 'team',
    labels: {
      'ray.io/cluster': 'demo',
      'app.kubernetes.io/name': 'kuberay',
      'app.kubernetes.io/created-by': 'kuberay-operator',
      'app.kubernetes.io/managed-by': 'muster',
    },
  };

  it('are to read pods, and to change its own cluster', () => {
    const rules = [READ_PODS, SCALE];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules };
    expect(autoscalerRole(scaled(), ['demo-head-0'])).toEqual(role);
  });

  it('include changes of the cluster’s pods with in-place resizing', () => {
    const cluster = scaled({ annotations: { 'ray.io/ippr': '{}' } });
    expect(autoscalerRole(cluster, ['b', 'a'])?.rules).toEqual([
      READ_PODS,
      SCALE,
      { apiGroups: [''], resources: ['pods', 'pods/resize'], verbs: ['patch'], resourceNames: ['a', 'b'] },
    ]);
    // An empty list of names would mean every pod of the namespace.
    expect(autoscalerRole(cluster, [])?.rules).toEqual([READ_PODS, SCALE]);
  });

  it('belong to an account of its own', () => {
    expect(autoscalerServiceAccount(scaled())).toEqual({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    expect(autoscalerRoleBinding(scaled())).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      subjects: [{ kind: 'ServiceAccount', name: 'demo', namespace: 'team' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'demo' },
    });
  });

  it.each(['serviceAccountName', 'serviceAccount'])(
    'belong to the account that %s names, which is the user’s',
    (field) => {
      const template = { spec: { containers: [{ name: 'ray', image: 'a:1' }], [field]: 'mine' } };
      const cluster = scaled({ head: { template } });
      expect(autoscalerServiceAccount(cluster)).toBeUndefined();
      expect(autoscalerRoleBinding(cluster)?.subjects).toEqual([
        { kind: 'ServiceAccount', name: 'mine', namespace: 'team' },
      ]);
      expect(rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster))).serviceAccountName).toBe('mine');
    },
  );

  it('do not exist without an autoscaler', () => {
    const cluster = clusterOf();
    expect(autoscalerServiceAccount(cluster)).toBeUndefined();
    expect(autoscalerRole(cluster, [])).toBeUndefined();
    expect(autoscalerRoleBinding(cluster)).toBeUndefined();
  });

  it("have names that are truncated like KubeRay's", () => {
    const name = `x${'a'.repeat(52)}`;
    expect(autoscalerRoleBinding(scaled({ name }))?.roleRef.name).toBe('a'.repeat(50));
    expect(headPod({ name }).serviceAccountName).toBe('a'.repeat(50));
  });
});
