import type { KubeClient } from '@muster/kube';
import type { EtcdWatch } from '../run/etcd-watch.ts';
import type { OperatorReplica } from '../run/operator-replica.ts';
import type { OperatorVersions } from '../versions/operator-version.ts';

/** What faults act on. */
export interface FaultPlace {
  /** The name of the local cluster. */
  readonly cluster: string;
  /** As administrator, past all proxies. */
  readonly client: KubeClient;
  readonly etcd: EtcdWatch;
  readonly replicas: readonly OperatorReplica[];
  /** By framework. */
  readonly versions: ReadonlyMap<string, OperatorVersions>;
  readonly namespaces: readonly string[];
  /** Creates the namespace; resolves when it accepts pods. */
  makeNamespace(name: string): Promise<void>;
}
