/**
 * The record of a cluster's processes and folders, on disk. It is written before or immediately after each start, so that `up` or `down`
 * can clean up after a kill. It identifies processes by number and start time, never by number alone.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { KUBERNETES_VERSION } from './binaries/versions.ts';
import { clustersFolder, stateFolder } from './cache-folders.ts';
import { ClusterError } from './cluster-error.ts';
import { NODE_KINDS } from './cluster-name.ts';
import { isErrorCode } from './processes/process-identity.ts';

const componentSchema = z.object({ name: z.string(), pid: z.number(), startTime: z.string(), log: z.string() });

const clusterStateSchema = z.object({
  name: z.string(),
  node: z.enum(NODE_KINDS),
  /** How many nodes. */
  nodes: z.number(),
  /** The release of Kubernetes. State files without it are from older versions of Muster, which had only one. */
  kubernetesVersion: z.string().default(KUBERNETES_VERSION),
  phase: z.enum(['starting', 'ready']),
  ports: z.object({
    etcd: z.number(),
    etcdPeer: z.number(),
    apiServer: z.number(),
    controllerManager: z.number(),
    scheduler: z.number(),
  }),
  /** The namespace whose ServiceAccounts' requests the API server audits. */
  auditedNamespace: z.string().optional(),
  /** The API server's additional admission plugins. */
  admissionPlugins: z.array(z.string()).default([]),
  /** Further arguments of the API server. */
  apiServerArguments: z.array(z.string()).default([]),
  /** Additional feature gates, in all components of the control plane. */
  featureGates: z.array(z.string()).default([]),
  /** Additional versions of APIs to serve, such as `scheduling.k8s.io/v1alpha2`. */
  apiVersions: z.array(z.string()).default([]),
  /** The slice of the address plan that this cluster uses; see address-plan.ts. */
  addressIndex: z.number(),
  components: z.array(componentSchema),
  /** The first process of each real node (with its number on this machine), which holds the node's namespaces. */
  nodeInits: z.array(z.object({ pid: z.number(), startTime: z.string() })).default([]),
});

export type ClusterState = z.infer<typeof clusterStateSchema>;
export type ComponentRecord = z.infer<typeof componentSchema>;

/** The state, `undefined` if there is none, or `'damaged'` if the file cannot be parsed. */
export function readClusterState(name: string): ClusterState | 'damaged' | undefined {
  let text: string;
  try {
    text = readFileSync(stateFile(name), 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT') || isErrorCode(error, 'ENOTDIR')) return undefined;
    if (isErrorCode(error, 'EACCES')) {
      throw new ClusterError(`Cluster "${name}" belongs to another user: run the command again with "sudo -E".`);
    }
    throw error;
  }
  return parseClusterState(text);
}

export function parseClusterState(text: string): ClusterState | 'damaged' {
  try {
    return clusterStateSchema.parse(JSON.parse(text));
  } catch {
    // Truncated, or of another version of Muster: the caller cleans up by the process marker and by derived names instead.
    return 'damaged';
  }
}

/** Replaces the file atomically: a reader never sees a partial file. */
export function writeClusterState(state: ClusterState): void {
  const file = stateFile(state.name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** The names of all clusters that have a state folder, up or not. */
export function listClusterNames(): string[] {
  try {
    const entries = readdirSync(clustersFolder(), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function stateFile(name: string): string {
  return join(stateFolder(name), 'state.json');
}
