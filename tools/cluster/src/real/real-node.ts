/** Starts a real node on this machine: containerd, kubelet, kube-proxy and CoreDNS inside the node's namespaces. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { stringify } from 'yaml';
import { addressPlan } from '../address-plan.ts';
import { containerdSocket, type NodePlace } from '../cluster.ts';
import { ClusterError } from '../cluster-error.ts';
import type { ClusterState, ComponentRecord } from '../cluster-state.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { checkRunning, startComponent } from '../processes/component.ts';
import type { ProcessIdentity } from '../processes/process-identity.ts';
import { runCommand } from '../run-command.ts';
import { waitUntil } from '../wait-until.ts';
import { dockerArchive } from './docker-archive.ts';
import { findCniFolder } from './host-requirements.ts';
import {
  cniConfiguration,
  containerdConfiguration,
  corefile,
  COREDNS_READY_PORT,
  KUBE_PROXY_HEALTH_PORT,
  kubeletConfiguration,
  PAUSE_IMAGE,
} from './node-configuration.ts';
import { insideNode, machineWideNames } from './node-namespaces.ts';
import { COREDNS_USER, desiredDnsObjects, desiredStorageObjects, volumeFolders } from './node-objects.ts';

export interface RealNodeBinaries {
  kubelet: string;
  kubeProxy: string;
  coredns: string;
  pause: string;
}

/** Starts containerd inside the node and imports the pause image; needs no API server yet. */
export async function startContainerd(
  state: ClusterState,
  { folder, plan, suffix }: NodePlace,
  init: ProcessIdentity,
  pause: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const cniFolder = findCniFolder();
  if (cniFolder === undefined)
    throw new ClusterError(
      'The CNI plugins are missing: install them (in Debian, the package containernetworking-plugins).',
    );
  const configuration = join(folder, 'containerd.toml');
  writeFileSync(configuration, containerdConfiguration(folder, cniFolder));
  mkdirSync(join(folder, 'cni'), { recursive: true });
  writeFileSync(join(folder, 'cni', '10-muster.conflist'), JSON.stringify(cniConfiguration(folder, plan)));
  const containerd = startComponent(
    state,
    insideNode(init, { name: `containerd${suffix}`, file: 'containerd', args: ['--config', configuration] }),
  );
  const socket = containerdSocket(folder);
  const missing = async () => {
    checkRunning([containerd]);
    return (await accepts(socket)) ? undefined : `nothing listens on ${socket}; see ${containerd.log}`;
  };
  await waitUntil(missing, { what: 'containerd to start', limitMs: 30_000, signal });
  const archive = join(folder, 'pause.tar');
  const files = [{ path: 'pause', content: readFileSync(pause), mode: 0o755 }];
  writeFileSync(archive, dockerArchive({ reference: PAUSE_IMAGE, files, entrypoint: ['/pause'] }));
  await runCommand('ctr', ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', archive], {
    timeoutMs: 60_000,
  });
}

/** Starts the programs that make the node part of the cluster. The caller waits for readiness. */
export async function joinNode(
  state: ClusterState,
  place: NodePlace,
  init: ProcessIdentity,
  binaries: RealNodeBinaries,
  controlPlane: ControlPlane,
): Promise<void> {
  await Promise.all([
    startKubelet(state, place, init, binaries.kubelet, controlPlane),
    startKubeProxy(state, place, init, binaries.kubeProxy, controlPlane),
  ]);
}

/** Starts cluster DNS on the node, and creates volumes there: once per cluster. */
export async function serveCluster(
  state: ClusterState,
  place: NodePlace,
  init: ProcessIdentity,
  binaries: RealNodeBinaries,
  controlPlane: ControlPlane,
): Promise<void> {
  const { folder, plan, name } = place;
  for (const path of volumeFolders(folder)) {
    mkdirSync(path, { recursive: true });
    // Containers write as the user of their image; the umask would limit a mode given to mkdir.
    chmodSync(path, 0o777);
  }
  await startCoreDns(state, place, init, binaries.coredns, controlPlane);
  const objects = [...desiredDnsObjects(plan), ...desiredStorageObjects(folder, name)];
  await Promise.all(objects.map(({ collection, object }) => controlPlane.client.create(collection, object)));
}

/**
 * The service of the nodes that is not ready, or undefined: kube-proxy must have written its rules, and CoreDNS must have read the
 * cluster's objects.
 */
export async function missingNodeService(places: readonly NodePlace[]): Promise<string | undefined> {
  const checks = places.flatMap(({ plan, suffix }) => [
    [`kube-proxy${suffix}`, `${plan.nodeAddress}:${KUBE_PROXY_HEALTH_PORT}/healthz`] as const,
    ...(suffix === '' ? [['coredns', `${plan.nodeAddress}:${COREDNS_READY_PORT}/ready`] as const] : []),
  ]);
  for (const [name, check] of checks) {
    const url = `http://${check}`;
    if (!(await answersOk(url))) return `${name} is not ready (${url})`;
  }
  return undefined;
}

async function startKubelet(
  state: ClusterState,
  { folder, plan, name, suffix }: NodePlace,
  init: ProcessIdentity,
  file: string,
  controlPlane: ControlPlane,
) {
  const kubeconfig = await controlPlane.kubeconfigFor(`kubelet${suffix}.kubeconfig`, {
    commonName: `system:node:${name}`,
    organization: 'system:nodes',
  });
  const serving = await controlPlane.authority.issue(`kubelet${suffix}`, {
    commonName: name,
    hosts: [name, plan.nodeAddress],
  });
  const configuration = join(folder, 'kubelet.yaml');
  const { cgroup } = machineWideNames(folder, state.name);
  const authorityFile = controlPlane.authority.certificate;
  writeFileSync(configuration, stringify(kubeletConfiguration({ folder, plan, cgroup, authorityFile, serving })));
  const args = [
    `--config=${configuration}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${join(folder, 'kubelet')}`,
    `--hostname-override=${name}`,
    `--node-ip=${plan.nodeAddress}`,
  ];
  startComponent(state, insideNode(init, { name: `kubelet${suffix}`, file, args }));
}

async function startKubeProxy(
  state: ClusterState,
  { name, suffix }: NodePlace,
  init: ProcessIdentity,
  file: string,
  controlPlane: ControlPlane,
) {
  const kubeconfig = await controlPlane.kubeconfigFor(`kube-proxy${suffix}.kubeconfig`, {
    commonName: 'system:kube-proxy',
  });
  const args = [
    `--kubeconfig=${kubeconfig}`,
    '--proxy-mode=iptables',
    `--hostname-override=${name}`,
    `--cluster-cidr=${addressPlan(state.addressIndex).podCidr}`,
    // The default of one second is long for a pod that waits for its peer's Service.
    '--iptables-min-sync-period=100ms',
    // Limits of connection tracking apply to the whole machine and cannot be set from inside a node.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
    `--healthz-bind-address=0.0.0.0:${KUBE_PROXY_HEALTH_PORT}`,
  ];
  startComponent(state, insideNode(init, { name: `kube-proxy${suffix}`, file, args }));
}

async function startCoreDns(
  state: ClusterState,
  { folder, plan }: NodePlace,
  init: ProcessIdentity,
  file: string,
  controlPlane: ControlPlane,
): Promise<ComponentRecord> {
  const kubeconfig = await controlPlane.kubeconfigFor('coredns.kubeconfig', { commonName: COREDNS_USER });
  const configuration = join(folder, 'Corefile');
  writeFileSync(configuration, corefile(plan, kubeconfig));
  return startComponent(state, insideNode(init, { name: 'coredns', file, args: ['-conf', configuration] }));
}

function accepts(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await request(url, { headersTimeout: 2000 });
    await response.body.dump();
    return response.statusCode === 200;
  } catch {
    // It does not listen yet.
    return false;
  }
}
