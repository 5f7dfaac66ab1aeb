/**
 * The real metrics-server, from which HorizontalPodAutoscalers read the use of processors and memory. It runs on this
 * machine; a Service without a selector and a manual endpoint make it an API of the cluster.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES, type KubeObject, type Resource } from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import { eventually } from './eventually.ts';
import type { TestCluster } from './test-cluster.ts';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const GROUP = 'metrics.k8s.io';
const WITHIN_MS = 180_000;

const ENDPOINT_SLICES: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};
const API_SERVICES: Resource = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};

export interface MetricsServer {
  stop(): Promise<void>;
}

/** Resolves when it reports the nodes' metrics. @param file the program */
export async function startMetricsServer(
  { client, access, kubeconfig }: TestCluster,
  file: string,
): Promise<MetricsServer> {
  // An endpoint must not be a loopback address; the API server's address is this machine's, as seen from its node.
  const address = new URL(access.server).hostname;
  const [port, folder] = [await freePort(address), await mkdtemp(join(tmpdir(), 'muster-metrics-server-'))];
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--bind-address=${address}`,
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    '--kubelet-insecure-tls',
    '--kubelet-preferred-address-types=InternalIP',
    // The resolution has to exceed the timeout.
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
  ];
  const server = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-3000)));
  }
  const stop = async () => {
    await removed(client);
    await ended(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await removed(client);
    for (const [resource, object] of objectsFor(address, port)) await client.create(resource, object);
    let seen: unknown;
    await eventually(
      async () => {
        const { items } = await client
          .raw<{ items: unknown[] }>(`/apis/${GROUP}/v1beta1/nodes`)
          .catch((error: unknown) => {
            seen = String(error);
            return { items: [] };
          });
        return items.length > 0;
      },
      { withinMs: WITHIN_MS, describe: () => ({ expected: 'metrics-server reports the usage of nodes', seen, log }) },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function objectsFor(address: string, port: number): [Resource, KubeObject][] {
  const metadata = { name: NAME, namespace: NAMESPACE };
  const service: KubeObject & { spec: object } = {
    metadata,
    spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
  };
  const slice: KubeObject & { addressType: string; endpoints: object[]; ports: object[] } = {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  const api: KubeObject & { spec: object } = {
    metadata: { name: `v1beta1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1beta1',
      service: { name: NAME, namespace: NAMESPACE, port: 443 },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  };
  return [
    [SERVICES, service],
    [ENDPOINT_SLICES, slice],
    [API_SERVICES, api],
  ];
}

/** Objects of an earlier run on a cluster that stays up have a stale endpoint. */
async function removed(client: ClusterClient): Promise<void> {
  const key = { name: NAME, namespace: NAMESPACE };
  const all = [
    [API_SERVICES, { name: `v1beta1.${GROUP}` }],
    [ENDPOINT_SLICES, key],
    [SERVICES as Resource, key],
  ] as const;
  for (const [resource, each] of all) {
    await client.delete(resource, each).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
    });
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
