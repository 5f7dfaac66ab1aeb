/** The dependencies of a measurement of a load. */
import type { ClusterAccess, ClusterClient } from '@muster/kube';
import type { Started } from '../server-process.ts';

export interface LoadBench {
  readonly access: ClusterAccess;
  readonly client: ClusterClient;
  readonly namespace: string;
  /** The name of the cluster, if its programs run on this machine. */
  readonly cluster: string | undefined;
  readonly operator: Started;
  /** The limit of each wait; after it the wait fails. */
  readonly limitMs: number;
  /** A folder for the API server's profiles; undefined: none are taken. */
  readonly profiles: string | undefined;
}
