/**
 * What a cluster has started, on disk. It is written before or right as anything starts, so that whoever comes after a
 * kill (`up` or `down`) knows what to clean. A state file names processes by identity, never by number alone.
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
  /** The release that it runs. Files that do not say are of clusters from before there was a choice. */
  kubernetesVersion: z.string().default(KUBERNETES_VERSION),
  phase: z.enum(['starting', 'ready']),
  ports: z.object({
    etcd: z.number(),
    etcdPeer: z.number(),
    apiServer: z.number(),
    controllerManager: z.number(),
    scheduler: z.number(),
  }),
  /** The namespace whose ServiceAccounts' requests the API server keeps a record of. */
  auditedNamespace: z.string().optional(),
  /** Of the API server, besides those that it has by default. */
  admissionPlugins: z.array(z.string()).default([]),
  /** Feature gates that are switched on in all components of the control plane, besides those that are by default. */
  featureGates: z.array(z.string()).default([]),
  /** Versions of APIs, as `scheduling.k8s.io/v1alpha2`, that are served besides those that are by default. */
  apiVersions: z.array(z.string()).default([]),
  /** Which slice of the address plan is taken; see address-plan.ts. */
  addressIndex: z.number(),
  components: z.array(componentSchema),
  /** The first process of each real node (as this machine numbers it), which holds the node's namespaces. */
  nodeInits: z.array(z.object({ pid: z.number(), startTime: z.string() })).default([]),
});

export type ClusterState = z.infer<typeof clusterStateSchema>;
export type ComponentRecord = z.infer<typeof componentSchema>;

/** The state, `undefined` when there is none, or `'damaged'` when the file cannot be understood. */
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
    // Truncated or of another version of Muster: the caller cleans by the process marker and by derived names instead.
    return 'damaged';
  }
}

/** Replaces the file in one step: a reader never sees half of it. */
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
