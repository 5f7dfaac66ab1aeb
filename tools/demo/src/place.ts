/** Where the demo runs: on a local cluster that it brings up, or on one that is there already. */
import {
  type Cluster,
  clusterDown,
  clusterStatus,
  clusterUp,
  kubeconfigPath,
  type NodeKind,
  type Progress,
} from '@muster/cluster';
import { type ClusterClient, createKubeClient, loadCluster } from '@muster/kube';
import { checkCluster, isSimulated } from './cluster-check.ts';
import { DemoError } from './demo-error.ts';
import { unlessAborted } from './interrupt.ts';
import type { DemoOptions } from './options.ts';

/** So that a real and a simulated one can be up at the same time. */
const CLUSTER_NAMES: Readonly<Record<NodeKind, string>> = { real: 'demo', simulated: 'demo-simulated' };

export interface Place {
  readonly client: ClusterClient;
  readonly kubeconfig: string;
  /** Whether containers run, so that jobs train and write logs. */
  readonly trains: boolean;
  /** The local cluster; not set on one that was there already. */
  readonly cluster?: Cluster;
  /** Whether this run has brought the local cluster up. */
  readonly startedHere: boolean;
}

/** Throws a `DemoError` that names the ways there are, if this one cannot be gone by this person on this machine. */
export function checkPlace(
  { kubeconfig, node }: Pick<DemoOptions, 'kubeconfig' | 'node'>,
  host: { platform: NodeJS.Platform; uid: number | undefined } = {
    platform: process.platform,
    uid: process.getuid?.(),
  },
): void {
  if (kubeconfig !== undefined || node === 'simulated') return;
  const lacks = host.platform !== 'linux' ? 'this is not Linux' : host.uid !== 0 ? 'this is not root' : undefined;
  if (lacks === undefined) return;
  throw new DemoError(`The demo trains on a real node unless told otherwise, which takes Linux and root, and ${lacks}. There are three ways:

  sudo -E npm start                                            this machine becomes the node: Linux and root
  npm start -- pytorch-elastic --kubeconfig ~/.kube/config --image <image>
                                                               a cluster of yours, from any system; the image is one
                                                               with PyTorch that the cluster can pull
  npm start -- --node simulated                                simulated nodes, without root: jobs are scaled and lost
                                                               pods replaced, but nothing trains`);
}

export async function openPlace(options: DemoOptions, progress: Progress, signal: AbortSignal): Promise<Place> {
  if (options.kubeconfig !== undefined) {
    const { kubeconfig } = options;
    const client = await connect(kubeconfig);
    try {
      // One that is out of reach is silent for a minute, until its answer is given up.
      await progress.step('Asking the cluster', () => unlessAborted(signal, checkCluster(client, kubeconfig)));
      return { client, kubeconfig, trains: !(await isSimulated(client)), startedHere: false };
    } catch (error) {
      await client.close();
      throw error;
    }
  }
  const { node } = options;
  const name = CLUSTER_NAMES[node];
  const startedHere = (await clusterStatus({ name })).state !== 'running';
  const cluster = await clusterUp({ name, node, progress, signal });
  return {
    client: await connect(kubeconfigPath(name)),
    kubeconfig: cluster.kubeconfig,
    trains: node === 'real',
    cluster,
    startedHere,
  };
}

/** Takes the local cluster down if this run has brought it up. Returns whether it did. */
export async function closePlace({ cluster, startedHere }: Place, progress: Progress): Promise<boolean> {
  if (cluster === undefined || !startedHere) return false;
  return clusterDown({ name: cluster.name, progress });
}

async function connect(kubeconfig: string): Promise<ClusterClient> {
  return createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-demo' });
}
