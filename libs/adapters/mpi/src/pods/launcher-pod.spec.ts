import type { Container, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import { launcherPodSpec, type LauncherPodOptions } from './launcher-pod.ts';
import type { MPIGeneration, MPIModel } from '../generations/mpi-model.ts';

const SIDECAR: Container = { name: 'logs', image: 'logs:1' };
const MPIRUN: Container = { name: 'train', image: 'mpi:1', command: ['mpirun'], args: ['train'] };

interface Given extends Partial<LauncherPodOptions> {
  spec?: Partial<PodSpec>;
  container?: Partial<Container>;
  model?: Partial<MPIModel>;
}

function launcher(generation: MPIGeneration, { spec, container, model, ...options }: Given = {}): PodSpec {
  const template = { containers: [SIDECAR, { ...MPIRUN, ...container }], ...spec };
  const settings = { main: 'train', deliveryImage: 'delivery:1', ...options };
  return launcherPodSpec(template, modelOf(generation, model), settings);
}

const KUBEXEC = { key: 'kubexec.sh', path: 'kubexec.sh', mode: 365 };
const HOSTFILE = { key: 'hostfile', path: 'hostfile', mode: 292 };
const DISCOVER = { key: 'discover_hosts.sh', path: 'discover_hosts.sh', mode: 365 };
const REQUIRED = { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '5Gi' };

describe('the pod of a launcher', () => {
  it('of v2beta1', () => {
    expect(launcher('v2beta1')).toEqual({
      hostname: 'pi-launcher',
      subdomain: 'pi',
      containers: [
        SIDECAR,
        {
          ...MPIRUN,
          volumeMounts: [
            { name: 'ssh-auth', mountPath: '/root/.ssh' },
            { name: 'mpi-job-config', mountPath: '/etc/mpi' },
          ],
        },
      ],
      volumes: [
        {
          name: 'ssh-auth',
          secret: {
            secretName: 'pi-ssh',
            defaultMode: 384,
            items: [
              { key: 'ssh-privatekey', path: 'id_rsa' },
              { key: 'ssh-publickey', path: 'id_rsa.pub' },
              { key: 'ssh-publickey', path: 'authorized_keys' },
            ],
          },
        },
        { name: 'mpi-job-config', configMap: { name: 'pi-config', items: [HOSTFILE, DISCOVER] } },
      ],
    });
  });

  it('of v1', () => {
    const mounts = [
      { name: 'mpi-job-kubectl', mountPath: '/opt/kube' },
      { name: 'mpi-job-config', mountPath: '/etc/mpi' },
    ];
    expect(launcher('v1')).toEqual({
      serviceAccountName: 'pi-launcher',
      initContainers: [
        {
          name: 'kubectl-delivery',
          image: 'delivery:1',
          imagePullPolicy: 'IfNotPresent',
          env: [
            { name: 'TARGET_DIR', value: '/opt/kube' },
            { name: 'NAMESPACE', value: 'team' },
          ],
          volumeMounts: mounts,
          resources: { limits: REQUIRED, requests: REQUIRED },
        },
      ],
      containers: [SIDECAR, { ...MPIRUN, volumeMounts: mounts }],
      volumes: [
        { name: 'mpi-job-kubectl', emptyDir: {} },
        { name: 'mpi-job-config', configMap: { name: 'pi-config', items: [KUBEXEC, HOSTFILE, DISCOVER] } },
      ],
    });
  });

  it('of v1alpha1', () => {
    const mounts = [
      { name: 'ml-job-kubectl', mountPath: '/opt/kube' },
      { name: 'ml-job-config', mountPath: '/etc/mpi' },
    ];
    const limits = { 'nvidia.com/gpu': '8' };
    expect(launcher('v1alpha1', { model: { launcherComputes: true }, limits })).toEqual({
      serviceAccountName: 'pi-launcher',
      initContainers: [
        {
          name: 'kubectl-delivery',
          image: 'delivery:1',
          imagePullPolicy: 'IfNotPresent',
          env: [
            { name: 'TARGET_DIR', value: '/opt/kube' },
            { name: 'NAMESPACE', value: 'team' },
          ],
          volumeMounts: mounts,
        },
      ],
      containers: [SIDECAR, { ...MPIRUN, resources: { limits }, volumeMounts: mounts }],
      volumes: [
        { name: 'ml-job-kubectl', emptyDir: {} },
        { name: 'ml-job-config', configMap: { name: 'pi-config', items: [KUBEXEC, HOSTFILE] } },
      ],
    });
  });

  it.each<MPIGeneration>(['v1', 'v1alpha1'])('of %s keeps the fields of its template', (generation) => {
    const own: Container = { name: 'fetch', image: 'fetch:1' };
    const pod = launcher(generation, {
      spec: { serviceAccountName: 'theirs', initContainers: [own], hostname: 'mine' },
    });
    expect(pod).toMatchObject({ serviceAccountName: 'theirs', hostname: 'mine' });
    expect(pod.initContainers?.map(({ name }) => name)).toEqual(['fetch', 'kubectl-delivery']);
  });

  it('of v2beta1 resolves names with the network of the node', () => {
    expect(launcher('v2beta1', { spec: { hostNetwork: true } }).dnsPolicy).toBe('ClusterFirstWithHostNet');
  });

  it('does not modify its template', () => {
    const template: PodSpec = { containers: [SIDECAR, MPIRUN], volumes: [], initContainers: [] };
    const before = structuredClone(template);
    launcherPodSpec(template, modelOf('v1alpha1'), { main: 'train', deliveryImage: 'delivery:1', onMaster: true });
    expect(template).toEqual(before);
  });
});

describe('the init container with kubectl', () => {
  const delivery = (given: Given) => launcher('v1', given).initContainers?.at(-1);

  it('has the name of the container to enter', () => {
    expect(delivery({ model: { mainContainer: 'mpi' } })?.env).toContainEqual({ name: 'MAIN_CONTAINER', value: 'mpi' });
  });

  it('has the security context of the main container', () => {
    const securityContext = { runAsUser: 1000, allowPrivilegeEscalation: false };
    expect(delivery({ container: { securityContext } })?.securityContext).toEqual(securityContext);
  });
});

describe('a launcher of v1alpha1', () => {
  const resources = { requests: { cpu: '8' }, limits: { 'nvidia.com/gpu': '8' } };

  it('that does not compute has no resource requests', () => {
    const pod = launcher('v1alpha1', { container: { resources }, limits: { 'nvidia.com/gpu': '8' } });
    expect(pod.containers[1]).not.toHaveProperty('resources');
  });

  it.each<[generation: MPIGeneration, model: Partial<MPIModel>]>([
    ['v1alpha1', { launcherComputes: true }],
    ['v1', {}],
    ['v2beta1', {}],
  ])('keeps its resource requests in all other cases: %s with %j', (generation, model) => {
    expect(launcher(generation, { container: { resources }, model }).containers[1]?.resources).toEqual(resources);
  });

  it.each<MPIGeneration>(['v1', 'v2beta1'])('runs on the control plane, and those of %s do not', (generation) => {
    const pod = launcher(generation, { onMaster: true });
    expect(pod).not.toHaveProperty('affinity');
    expect(pod).not.toHaveProperty('tolerations');
  });
});

describe('a launcher on the control plane', () => {
  const MASTER = { key: 'node-role.kubernetes.io/master', operator: 'Exists' };
  const CONTROL_PLANE = { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' };

  const required = (spec: Partial<PodSpec>) =>
    launcher('v1alpha1', { onMaster: true, spec }).affinity?.nodeAffinity
      ?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

  it('runs on nodes with the old or the new label', () => {
    expect(required({})).toEqual([{ matchExpressions: [MASTER] }, { matchExpressions: [CONTROL_PLANE] }]);
  });

  it('tolerates both taints, in addition to those of its template', () => {
    const own = { key: 'gpu', operator: 'Exists' };
    expect(launcher('v1alpha1', { onMaster: true, spec: { tolerations: [own] } }).tolerations).toEqual([
      own,
      { ...MASTER, effect: 'NoSchedule' },
      { ...CONTROL_PLANE, effect: 'NoSchedule' },
    ]);
  });

  it('still satisfies one of the terms of its template', () => {
    const zone = (value: string) => ({ key: 'zone', operator: 'In', values: [value] });
    const fields = [{ key: 'metadata.name', operator: 'In', values: ['n1'] }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [zone('a')] }, { matchFields: fields }],
      },
    };
    expect(required({ affinity: { nodeAffinity } })).toEqual([
      { matchExpressions: [zone('a'), MASTER] },
      { matchExpressions: [zone('a'), CONTROL_PLANE] },
      { matchFields: fields, matchExpressions: [MASTER] },
      { matchFields: fields, matchExpressions: [CONTROL_PLANE] },
    ]);
  });

  it('keeps the preferences of its template', () => {
    const podAntiAffinity = {};
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const { affinity } = launcher('v1alpha1', {
      onMaster: true,
      spec: { affinity: { podAntiAffinity, nodeAffinity } },
    });
    expect(affinity).toMatchObject({ podAntiAffinity, nodeAffinity });
  });
});
