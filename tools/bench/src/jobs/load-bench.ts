/** What a measurement of a load has at hand. */
import type { ClusterAccess, ClusterClient } from '@muster/kube';
import type { Started } from '../server-process.ts';

export interface LoadBench {
  readonly access: ClusterAccess;
  readonly client: ClusterClient;
  readonly namespace: string;
  /** The name of the cluster, where its programs are on this machine. */
  readonly cluster: string | undefined;
  readonly operator: Started;
  /** Whoever waits longer is told so by an error. */
  readonly limitMs: number;
  /** A folder for the API server's profiles; undefined: none are taken. */
  readonly profiles: string | undefined;
}
