/**
 * Starts a cluster. Nothing is started before all requirements are met, and everything is removed if the start fails or is interrupted. A
 * healthy cluster is kept; a degraded one is recreated.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  interfaceNetworks,
  isPortFree,
  MOST_REAL_NODES,
  peerAddresses,
  pickAddressIndex,
  pickPorts,
} from './address-plan.ts';
import { ensureBinaries, ensurePause } from './binaries/ensure-binaries.ts';
import { type BinaryName, binaryOf } from './binaries/binary-catalog.ts';
import { KUBERNETES_VERSION } from './binaries/versions.ts';
import { stateFolder } from './cache-folders.ts';
import { cleanCluster } from './clean-cluster.ts';
import { type Cluster, clusterFromState, type NodePlace, nodeFolders, nodePlaces } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';
import { withAllocationLock, withClusterLock } from './cluster-lock.ts';
import { checkClusterName, DEFAULT_CLUSTER_NAME, type NodeKind } from './cluster-name.ts';
import { type ClusterState, listClusterNames, readClusterState, writeClusterState } from './cluster-state.ts';
import { clusterStatus } from './cluster-status.ts';
import { type ControlPlane, startControlPlane } from './control-plane/control-plane.ts';
import { checkOpenssl } from './control-plane/pki.ts';
import { checkKubernetesVersion } from './kubernetes-version.ts';
import { checkRunning } from './processes/component.ts';
import type { ProcessIdentity } from './processes/process-identity.ts';
import { linkPrograms } from './link-programs.ts';
import { type Progress, silentProgress } from './progress.ts';
import { checkHost, installMissingPackages } from './real/host-requirements.ts';
import { checkStateFolder, linkNodes, startNodeNamespaces } from './real/node-namespaces.ts';
import { joinNode, missingNodeService, serveCluster, startContainerd } from './real/real-node.ts';
import { startSimulatedNodes } from './simulated/simulated-nodes.ts';
import { waitUntil } from './wait-until.ts';

export interface ClusterUpOptions {
  /** 1 to 20 of a-z, 0-9 and "-"; default "muster". */
  name?: string;
  /** Default "simulated". */
  node?: NodeKind;
  /** The number of nodes; default 10 simulated ones or one real one. At most two real ones. */
  nodes?: number;
  /** `x.y.z`: the release of Kubernetes; default the newest that Muster supports. Simulated nodes only. */
  kubernetesVersion?: string;
  /** The namespace whose ServiceAccounts' requests the API server audits; default none. */
  auditedNamespace?: string;
  /** Additional admission plugins of the API server. */
  admissionPlugins?: readonly string[];
  /** Further arguments of the API server, such as `--storage-media-type=application/json`; later ones override earlier ones. */
  apiServerArguments?: readonly string[];
  /** Additional feature gates of the control plane. */
  featureGates?: readonly string[];
  /** Additional versions of APIs to serve, such as `scheduling.k8s.io/v1alpha2`. */
  apiVersions?: readonly string[];
  /** Default: no output. */
  progress?: Progress;
  /** Aborts the start; everything that was started is removed before the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

type Wanted = Required<Pick<ClusterUpOptions, 'name' | 'node' | 'progress'>> &
  Pick<
    ClusterUpOptions,
    | 'nodes'
    | 'kubernetesVersion'
    | 'auditedNamespace'
    | 'admissionPlugins'
    | 'apiServerArguments'
    | 'featureGates'
    | 'apiVersions'
    | 'signal'
  >;

const DEFAULT_SIMULATED_NODES = 10;
const LARGEST_SIMULATION = 5000;
const CONTROL_PLANE_BINARIES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;
const NODE_BINARIES = { simulated: ['kwok'], real: ['kubelet', 'kube-proxy', 'coredns'] } as const;

/**
 * Resolves when the cluster can run pods: nodes are Ready, the ServiceAccount `default` exists, and with a real node Services and cluster
 * DNS work. Otherwise throws a ClusterError that says what to do.
 */
export async function clusterUp(options: ClusterUpOptions = {}): Promise<Cluster> {
  const wanted: Wanted = { name: DEFAULT_CLUSTER_NAME, node: 'simulated', progress: silentProgress, ...options };
  checkClusterName(wanted.name);
  checkNodeCount(wanted);
  checkVersion(wanted);
  if (wanted.node === 'real') {
    checkHost();
    for (const folder of nodeFolders(stateFolder(wanted.name)).slice(0, wanted.nodes ?? 1)) checkStateFolder(folder);
  }
  return withClusterLock(wanted.name, wanted.progress, wanted.signal, () => bringUp(wanted));
}

async function bringUp(wanted: Wanted): Promise<Cluster> {
  const { name, progress, signal } = wanted;
  const startedMs = Date.now();
  const present = await clusterStatus({ name });
  if (present.state === 'running' && present.cluster !== undefined) {
    checkSameShape(present.cluster, wanted);
    progress.note(`Cluster "${name}" is already running.`);
    return present.cluster;
  }
  if (present.state === 'degraded') progress.note(`Recreating cluster "${name}". ${present.reason ?? ''}`);
  await cleanCluster(name, { keepLogs: false });
  await checkOpenssl();
  if (wanted.node === 'real') await installMissingPackages(progress);
  const binaries = await findBinaries(wanted);
  signal?.throwIfAborted();
  const state = await allocate(wanted);
  try {
    await start(state, binaries, progress, signal);
  } catch (error) {
    await cleanCluster(name, { keepLogs: signal?.aborted !== true });
    throw error;
  }
  state.phase = 'ready';
  writeClusterState(state);
  progress.note(`Cluster "${name}" is up after ${((Date.now() - startedMs) / 1000).toFixed(1)} s.`);
  return clusterFromState(state);
}

function checkNodeCount({ node, nodes }: Wanted): void {
  if (nodes === undefined) return;
  if (node === 'real') {
    if (nodes >= 1 && nodes <= MOST_REAL_NODES && Number.isInteger(nodes)) return;
    throw new ClusterError(`A real cluster can have 1 or ${MOST_REAL_NODES} nodes on this machine, not ${nodes}.`);
  }
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > LARGEST_SIMULATION) {
    throw new ClusterError(`A simulated cluster can have 1 to ${LARGEST_SIMULATION} nodes, not ${nodes}.`);
  }
}

/** The configuration of a real node is written for one release of the kubelet. */
function checkVersion({ node, kubernetesVersion }: Wanted): void {
  if (kubernetesVersion === undefined) return;
  checkKubernetesVersion(kubernetesVersion);
  if (node === 'real' && kubernetesVersion !== KUBERNETES_VERSION)
    throw new ClusterError(`A real node supports only Kubernetes ${KUBERNETES_VERSION}: leave out the version.`);
}

function checkSameShape(present: Cluster, wanted: Wanted): void {
  const { node, nodes, kubernetesVersion } = present;
  const isSame =
    node === wanted.node &&
    nodes === (wanted.nodes ?? nodes) &&
    kubernetesVersion === (wanted.kubernetesVersion ?? kubernetesVersion);
  if (isSame) return;
  const shape = formatNodes(present);
  throw new ClusterError(
    `Cluster "${present.name}" is running with ${shape} and Kubernetes ${kubernetesVersion}: take it down with "muster cluster down --name ${present.name}" or choose another --name.`,
  );
}

/** The number and kind of nodes. */
export function formatNodes({ node, nodes }: Pick<Cluster, 'node' | 'nodes'>): string {
  if (node === 'simulated') return `${nodes} simulated nodes`;
  return nodes === 1 ? 'a real node' : `${nodes} real nodes`;
}

type Binaries = Record<BinaryName | 'pause', string>;

async function findBinaries({
  node,
  kubernetesVersion = KUBERNETES_VERSION,
  progress,
  signal,
}: Wanted): Promise<Partial<Binaries>> {
  const names: BinaryName[] = [...CONTROL_PLANE_BINARIES, ...NODE_BINARIES[node]];
  const sources = names.map((name) => binaryOf(name, kubernetesVersion));
  const paths = await ensureBinaries(sources, progress, signal);
  const found = Object.fromEntries(names.map((name, index) => [name, paths[index]]));
  return node === 'real' ? { ...found, pause: await ensurePause(progress, signal) } : found;
}

/** Chooses ports and addresses and records them under a lock. */
function allocate({
  name,
  node,
  nodes = node === 'real' ? 1 : DEFAULT_SIMULATED_NODES,
  kubernetesVersion = KUBERNETES_VERSION,
  auditedNamespace,
  admissionPlugins = [],
  apiServerArguments = [],
  featureGates = [],
  apiVersions = [],
}: Wanted): Promise<ClusterState> {
  return withAllocationLock(async () => {
    const others = listClusterNames().flatMap((other) => {
      const state = readClusterState(other);
      return state === undefined || state === 'damaged' ? [] : [state];
    });
    const real = others.filter((other) => other.node === 'real');
    const state: ClusterState = {
      name,
      node,
      nodes,
      kubernetesVersion,
      phase: 'starting',
      ...(auditedNamespace !== undefined && { auditedNamespace }),
      admissionPlugins: [...admissionPlugins],
      apiServerArguments: [...apiServerArguments],
      featureGates: [...featureGates],
      apiVersions: [...apiVersions],
      ports: await pickPorts(new Set(others.flatMap(({ ports }) => Object.values(ports))), isPortFree),
      addressIndex:
        node === 'real' ? pickAddressIndex(new Set(real.map((one) => one.addressIndex)), interfaceNetworks()) : 0,
      components: [],
      nodeInits: [],
    };
    writeClusterState(state);
    return state;
  });
}

async function start(
  state: ClusterState,
  binaries: Partial<Binaries>,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const folder = stateFolder(state.name);
  const binDir = join(folder, 'bin');
  rmSync(binDir, { recursive: true, force: true });
  linkPrograms({ binDir }, binaries);
  const path = (name: keyof Binaries) => binaries[name] ?? '';
  const controlPlaneBinaries = {
    etcd: path('etcd'),
    apiServer: path('kube-apiserver'),
    controllerManager: path('kube-controller-manager'),
    scheduler: path('kube-scheduler'),
  };
  const launchControlPlane = () => startControlPlane(state, folder, controlPlaneBinaries, signal);
  let controlPlane: ControlPlane;
  if (state.node === 'simulated') {
    controlPlane = await progress.step('Starting the control plane', launchControlPlane);
    await startSimulatedNodes(state, folder, path('kwok'), controlPlane);
  } else {
    const node = {
      kubelet: path('kubelet'),
      kubeProxy: path('kube-proxy'),
      coredns: path('coredns'),
      pause: path('pause'),
    };
    const places = nodePlaces(state);
    const nodes = await progress.step('Setting up the node', () => setUpNodes(state, places, node.pause, signal));
    [controlPlane] = await progress.step('Starting the control plane and containerd', () =>
      allSettled([
        launchControlPlane(),
        Promise.all(nodes.map(({ place, init }) => startContainerd(state, place, init, node.pause, signal))),
      ]),
    );
    for (const { place, init } of nodes) {
      await joinNode(state, place, init, node, controlPlane);
      if (place === places[0]) await serveCluster(state, place, init, node, controlPlane);
    }
  }
  await progress.step('Waiting for the cluster to be ready', () => waitForCluster(state, controlPlane, signal));
  await controlPlane.client.close();
}

/** Creates the namespaces of all real nodes, and the link between them. */
async function setUpNodes(
  state: ClusterState,
  places: readonly NodePlace[],
  pause: string,
  signal: AbortSignal | undefined,
): Promise<{ place: NodePlace; init: ProcessIdentity }[]> {
  const nodes: { place: NodePlace; init: ProcessIdentity }[] = [];
  for (const place of places) nodes.push({ place, init: await startNodeNamespaces(state, place, pause, signal) });
  const [one, other] = nodes.map(({ place: { plan }, init }) => ({ plan, init }));
  if (one !== undefined && other !== undefined) await linkNodes([one, other], peerAddresses(state.addressIndex));
  return nodes;
}

/** Like Promise.all, but rejects only after all have ended: nothing may start while a failed start is cleaned up. */
async function allSettled<A, B>(work: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function waitForCluster(
  state: ClusterState,
  { client }: ControlPlane,
  signal: AbortSignal | undefined,
): Promise<void> {
  const missing = async (): Promise<string | undefined> => {
    checkRunning(state.components);
    const { text } = await client.get('/api/v1/nodes?resourceVersion=0');
    const ready = (JSON.parse(text) as NodeList).items.filter(isNodeReady).length;
    if (ready < state.nodes)
      return `${ready} of ${state.nodes} nodes are ready; see the logs in ${stateFolder(state.name)}/log`;
    const account = await client.get('/api/v1/namespaces/default/serviceaccounts/default');
    if (account.status !== 200) return 'the ServiceAccount "default" is missing; see kube-controller-manager.log';
    return state.node === 'real' ? missingNodeService(nodePlaces(state)) : undefined;
  };
  await waitUntil(missing, { what: 'the cluster to be ready', limitMs: 120_000, intervalMs: 100, signal });
}

interface NodeList {
  items: { status?: { conditions?: { type: string; status: string }[] } }[];
}

function isNodeReady(node: NodeList['items'][number]): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
