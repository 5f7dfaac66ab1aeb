import type { Container, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import type { MPIGeneration, MPIModel } from '../generations/mpi-model.ts';
import { workerPodSpec, type WorkerPodOptions } from './worker-pod.ts';

const SIDECAR: Container = { name: 'logs', image: 'logs:1' };

interface Given extends Partial<WorkerPodOptions> {
  main?: string;
  spec?: Partial<PodSpec>;
  container?: Partial<Container>;
  model?: Partial<MPIModel>;
}

function worker(generation: MPIGeneration, { spec, container, model, ...options }: Given = {}): PodSpec {
  const template = { containers: [SIDECAR, { name: 'train', image: 'mpi:1', ...container }], ...spec };
  return workerPodSpec(template, modelOf(generation, model), { index: 1, main: 'train', ...options });
}

const SSH_ITEMS = [
  { key: 'ssh-privatekey', path: 'id_rsa' },
  { key: 'ssh-publickey', path: 'id_rsa.pub' },
  { key: 'ssh-publickey', path: 'authorized_keys' },
];
const KUBEXEC_ITEMS = [{ key: 'kubexec.sh', path: 'kubexec.sh', mode: 365 }];

describe('the pod of a worker', () => {
  it('of v2beta1', () => {
    expect(worker('v2beta1')).toEqual({
      hostname: 'pi-worker-1',
      subdomain: 'pi',
      dnsConfig: { searches: ['pi.team.svc.cluster.local'] },
      containers: [
        SIDECAR,
        {
          name: 'train',
          image: 'mpi:1',
          command: ['/usr/sbin/sshd', '-De'],
          volumeMounts: [{ name: 'ssh-auth', mountPath: '/root/.ssh' }],
        },
      ],
      volumes: [{ name: 'ssh-auth', secret: { secretName: 'pi-ssh', defaultMode: 384, items: SSH_ITEMS } }],
    });
  });

  it.each<[generation: MPIGeneration, name: string]>([
    ['v1', 'mpi-job-config'],
    ['v1alpha1', 'ml-job-config'],
  ])('of %s', (generation, name) => {
    expect(worker(generation)).toEqual({
      containers: [
        SIDECAR,
        {
          name: 'train',
          image: 'mpi:1',
          command: ['sleep'],
          args: ['365d'],
          volumeMounts: [{ name, mountPath: '/etc/mpi' }],
        },
      ],
      volumes: [{ name, configMap: { name: 'pi-config', items: KUBEXEC_ITEMS } }],
    });
  });

  it('that does not run as root has keys of the default mode', () => {
    const { containers, volumes } = worker('v2beta1', { model: { sshAuthMountPath: '/home/mpiuser/.ssh' } });
    expect(volumes).toEqual([{ name: 'ssh-auth', secret: { secretName: 'pi-ssh', items: SSH_ITEMS } }]);
    expect(containers[1]?.volumeMounts).toEqual([{ name: 'ssh-auth', mountPath: '/home/mpiuser/.ssh' }]);
  });

  it('keeps its own volumes and mounts in front', () => {
    const { containers, volumes } = worker('v2beta1', {
      spec: { volumes: [{ name: 'data', emptyDir: {} }] },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    });
    expect(volumes?.map(({ name }) => name)).toEqual(['data', 'ssh-auth']);
    expect(containers[1]?.volumeMounts?.map(({ name }) => name)).toEqual(['data', 'ssh-auth']);
  });
});

describe('the command of a worker', () => {
  const ENTRYPOINT: Partial<Container> = {};
  const SSHD: Partial<Container> = { command: ['/usr/sbin/sshd', '-De'] };
  const SLEEP: Partial<Container> = { command: ['sleep'], args: ['365d'] };
  const OWN: Partial<Container> = { command: ['own'], args: ['-x'] };
  const ARGS: Partial<Container> = { args: ['-x'] };

  it.each<[generation: MPIGeneration, given: Partial<Container>, runs: Partial<Container>]>([
    ['v2beta1', ENTRYPOINT, SSHD],
    ['v2beta1', { command: [], args: [] }, { ...SSHD, args: [] }],
    ['v2beta1', OWN, OWN],
    ['v2beta1', ARGS, ARGS],
    ['v1', ENTRYPOINT, SLEEP],
    ['v1', { command: [] }, SLEEP],
    ['v1', ARGS, SLEEP],
    ['v1', OWN, OWN],
    ['v1', { command: ['own'] }, { command: ['own'] }],
    ['v1alpha1', ENTRYPOINT, SLEEP],
    ['v1alpha1', OWN, SLEEP],
  ])('in %s, given %j, is %j', (generation, given, runs) => {
    const { volumeMounts: _mounts, ...container } = worker(generation, { container: given }).containers[1]!;
    expect(container).toEqual({ name: 'train', image: 'mpi:1', ...runs });
  });
});

describe('the DNS names of a worker', () => {
  it('replace those of the template', () => {
    const spec = { hostname: 'mine', subdomain: 'ours' };
    expect(worker('v2beta1', { spec })).toMatchObject({ hostname: 'pi-worker-1', subdomain: 'pi' });
  });

  it('are those of the template if the hostfile has pod names', () => {
    const spec = { hostname: 'mine', hostNetwork: true };
    const pod = worker('v1', { spec });
    expect(pod).toMatchObject(spec);
    expect(pod).not.toHaveProperty('dnsPolicy');
    expect(pod).not.toHaveProperty('dnsConfig');
  });

  it('resolve with the network of the node', () => {
    expect(worker('v2beta1', { spec: { hostNetwork: true } }).dnsPolicy).toBe('ClusterFirstWithHostNet');
    expect(worker('v2beta1', { spec: { hostNetwork: false } })).not.toHaveProperty('dnsPolicy');
  });

  it('are searched in the domain of the cluster, after the searches of the template', () => {
    const dnsConfig = { searches: ['corp.example'], nameservers: ['10.0.0.1'] };
    expect(worker('v2beta1', { spec: { dnsConfig }, model: { clusterDomain: 'k8s.corp' } }).dnsConfig).toEqual({
      searches: ['corp.example', 'pi.team.svc.k8s.corp'],
      nameservers: ['10.0.0.1'],
    });
  });

  it('are searched once', () => {
    const dnsConfig = { searches: ['pi.team.svc.cluster.local'] };
    expect(worker('v2beta1', { spec: { dnsConfig } }).dnsConfig).toEqual(dnsConfig);
  });
});

describe('the limits of a worker', () => {
  it('are those of the allocation, in addition to its own', () => {
    const pod = worker('v1alpha1', {
      container: { resources: { requests: { cpu: '1' }, limits: { memory: '1Gi', 'nvidia.com/gpu': '1' } } },
      limits: { 'nvidia.com/gpu': '8' },
    });
    expect(pod.containers.map(({ resources }) => resources)).toEqual([
      undefined,
      { requests: { cpu: '1' }, limits: { memory: '1Gi', 'nvidia.com/gpu': '8' } },
    ]);
  });

  it('are its own without an allocation', () => {
    expect(worker('v1alpha1').containers[1]).not.toHaveProperty('resources');
  });
});
