import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clusterFromState } from './cluster.ts';
import {
  type ClusterState,
  listClusterNames,
  parseClusterState,
  readClusterState,
  writeClusterState,
} from './cluster-state.ts';

const state: ClusterState = {
  name: 'one',
  node: 'real',
  nodes: 1,
  kubernetesVersion: '1.37.2',
  phase: 'ready',
  admissionPlugins: [],
  apiServerArguments: [],
  featureGates: [],
  apiVersions: [],
  ports: { etcd: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5 },
  addressIndex: 2,
  components: [{ name: 'etcd', pid: 7, startTime: '99', log: '/l' }],
  nodeInits: [{ pid: 8, startTime: '100' }],
};

describe('cluster state', () => {
  let cache: string;

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'muster-state-'));
    vi.stubEnv('MUSTER_CACHE', cache);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true });
  });

  it('reads the written state', () => {
    writeClusterState(state);
    expect(readClusterState('one')).toEqual(state);
    expect(listClusterNames()).toEqual(['one']);
  });

  it('has no state for an unknown cluster', () => {
    expect(readClusterState('none')).toBeUndefined();
    expect(listClusterNames()).toEqual([]);
  });

  it.each(['', '{"name":', '{"name":"one"}'])('reports the file as damaged if it contains %j', (text) => {
    expect(parseClusterState(text)).toBe('damaged');
  });

  it('describes a real cluster from its state', () => {
    expect(clusterFromState(state)).toEqual({
      name: 'one',
      node: 'real',
      nodes: 1,
      kubernetesVersion: '1.37.2',
      server: 'https://10.213.2.1:3',
      kubeconfig: join(cache, 'muster/clusters/one/kubeconfig'),
      stateDir: join(cache, 'muster/clusters/one'),
      binDir: join(cache, 'muster/clusters/one/bin'),
      containerdSocket: join(cache, 'muster/clusters/one/containerd.sock'),
      nodeName: 'one-node',
      nodeAddress: '10.213.2.2',
      nodeInit: { pid: 8, startTime: '100' },
      realNodes: [
        {
          name: 'one-node',
          address: '10.213.2.2',
          containerdSocket: join(cache, 'muster/clusters/one/containerd.sock'),
          init: { pid: 8, startTime: '100' },
        },
      ],
    });
  });

  it('has neither a container runtime nor a node address for a simulated cluster', () => {
    const { containerdSocket, nodeAddress, server } = clusterFromState({ ...state, node: 'simulated', nodes: 10 });
    expect([containerdSocket, nodeAddress, server]).toEqual([undefined, undefined, 'https://127.0.0.1:3']);
  });
});
