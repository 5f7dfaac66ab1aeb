/** The cluster of the demo: a local one that it starts, or an existing one. */
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

/** Different names, so that a real and a simulated cluster can be up at the same time. */
const CLUSTER_NAMES: Readonly<Record<NodeKind, string>> = { real: 'demo', simulated: 'demo-simulated' };

export interface Place {
  readonly client: ClusterClient;
  readonly kubeconfig: string;
  /** Whether containers run, so that jobs train and write logs. */
  readonly trains: boolean;
  /** The local cluster; undefined for an existing cluster. */
  readonly cluster?: Cluster;
  /** Whether this run started the local cluster. */
  readonly startedHere: boolean;
}

/** Throws a `DemoError` with the alternatives if a real node cannot run here. */
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
  throw new DemoError(`By default, the demo trains on a real node, which needs Linux and root, and ${lacks}. Use one of these:

  sudo -E npm start                                            this machine becomes the node: Linux and root
  npm start -- pytorch-elastic --kubeconfig ~/.kube/config --image <image>
                                                               your cluster, from any system; the image contains
                                                               PyTorch, and the cluster can pull it
  npm start -- --node simulated                                simulated nodes, without root: jobs are scaled and lost
                                                               pods replaced, but no job trains`);
}

export async function openPlace(options: DemoOptions, progress: Progress, signal: AbortSignal): Promise<Place> {
  if (options.kubeconfig !== undefined) {
    const { kubeconfig } = options;
    const client = await connect(kubeconfig);
    try {
      // If the cluster is unreachable, the request times out after a minute.
      await progress.step('Checking the cluster', () => unlessAborted(signal, checkCluster(client, kubeconfig)));
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

/** Stops the local cluster if this run started it. Returns whether it did. */
export async function closePlace({ cluster, startedHere }: Place, progress: Progress): Promise<boolean> {
  if (cluster === undefined || !startedHere) return false;
  return clusterDown({ name: cluster.name, progress });
}

async function connect(kubeconfig: string): Promise<ClusterClient> {
  return createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-demo' });
}
