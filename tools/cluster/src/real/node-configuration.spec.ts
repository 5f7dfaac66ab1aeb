import { describe, expect, it } from 'vitest';
import { addressPlan } from '../address-plan.ts';
import { cniConfiguration, containerdConfiguration, corefile, kubeletConfiguration } from './node-configuration.ts';
import { desiredDnsObjects, desiredStorageObjects } from './node-objects.ts';
import { checkStateFolder, machineWideNames } from './node-namespaces.ts';

const folder = '/home/me/.cache/muster/clusters/one';
const plan = addressPlan(1);

describe('containerd', () => {
  it('keeps everything below the state folder', () => {
    const paths = containerdConfiguration(folder, '/usr/lib/cni').match(/"\/[^"]*"/g) ?? [];
    expect(paths.filter((path) => !path.startsWith(`"${folder}/`))).toEqual(['"/usr/lib/cni"']);
  });
});

describe('CNI', () => {
  it("gives pods addresses of the cluster's own range and records them in the state folder", () => {
    expect(cniConfiguration(folder, plan)).toMatchObject({
      plugins: [
        { type: 'ptp', ipam: { ranges: [[{ subnet: '10.214.16.0/20' }]], dataDir: `${folder}/pod-addresses` } },
        { type: 'portmap' },
      ],
    });
  });
});

describe('kubelet', () => {
  const serving = { certificate: '/c', key: '/k' };
  const kubelet = kubeletConfiguration({ folder, plan, cgroup: 'muster-one-1', authorityFile: '/ca', serving });

  it('authenticates only certificates and tokens, and authorizes by the API server', () => {
    expect(kubelet).toMatchObject({
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: '/ca' } },
      authorization: { mode: 'Webhook' },
    });
  });

  it('runs pods below the group of the cluster and configures cluster DNS for them', () => {
    expect(kubelet).toMatchObject({ cgroupRoot: '/muster-one-1', clusterDNS: [plan.dnsServiceAddress] });
  });
});

describe('cluster DNS', () => {
  it('listens on the node and answers names outside the cluster at once', () => {
    const text = corefile(plan, '/kubeconfig');
    expect(text).toContain(`bind ${plan.nodeAddress}`);
    expect(text.indexOf('kubernetes {')).toBeLessThan(text.indexOf('template ANY ANY'));
  });

  it('is a Service without selector that points to the node', () => {
    const objects = desiredDnsObjects(plan).map(({ object }) => object);
    expect(objects).toContainEqual(
      expect.objectContaining({
        kind: 'EndpointSlice',
        endpoints: [expect.objectContaining({ addresses: [plan.nodeAddress] })],
      }),
    );
    expect(JSON.stringify(objects)).not.toContain('selector');
  });
});

describe('storage', () => {
  it('is one default class and volumes below the state folder', () => {
    const [storageClass, ...volumes] = desiredStorageObjects(folder, 'one-node').map(({ object }) => object);
    expect(storageClass).toMatchObject({
      metadata: { name: 'muster-local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      volumeBindingMode: 'WaitForFirstConsumer',
      provisioner: 'kubernetes.io/no-provisioner',
    });
    expect(volumes).toHaveLength(8);
    expect(volumes[0]).toMatchObject({ spec: { local: { path: `${folder}/volumes/volume-0` } } });
  });
});

describe('names on the machine', () => {
  it('differ between clusters of the same name in different caches, and are short enough for an interface', () => {
    const [one, other] = [machineWideNames('/a/one', 'one'), machineWideNames('/b/one', 'one')];
    expect(one.interface).not.toBe(other.interface);
    expect(one.cgroup).not.toBe(other.cgroup);
    expect(one.interface.length).toBeLessThan(16);
  });

  it.each([`/run/${'x'.repeat(5)}`, `/tmp/${'x'.repeat(80)}`])('rejects the state folder %s', (path) => {
    expect(() => checkStateFolder(path)).toThrow(/set MUSTER_CACHE/);
  });
});
