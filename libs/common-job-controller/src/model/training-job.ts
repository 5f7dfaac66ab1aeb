import type {
  JobStatus,
  KubeObject,
  ObjectMeta,
  PodTemplateSpec,
  Resource,
  RestartPolicy,
  RunPolicy,
} from '@muster/job-api';
import type { Hold } from './hold.ts';
import type { ReplicaIdentity, Position } from './replica-identity.ts';

export interface JobManifest extends KubeObject {
  spec?: object;
  status?: object;
}

export type RestartScope = 'Replica' | 'Role' | 'Job';

export interface ReplicaRole {
  /** The name in the manifest, for example `Worker`: the key of `status.replicaStatuses`. */
  readonly name: string;
  /** If it is invalid or NaN, the engine keeps the existing pods. */
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  readonly restartPolicy: RestartPolicy;
  /** Whether the role's pods end when the work is done. Others, for example parameter servers, are stopped when the job ends. */
  readonly endsByItself: boolean;
  /** The container whose exit code and ports count. */
  readonly containerName: string;
  readonly port?: number;
  /** Why a lost replica cannot rejoin, and what to do, as a sentence. If set, a replica that has run is not recreated: the job fails. */
  readonly cannotRejoin?: string;
  /** Why the others may wait for a replica that is restarted alone, and what the user should do, as sentences. Default: they do not. */
  readonly peersMayWait?: string;
  /** Default: `Numbered`. */
  readonly identity?: ReplicaIdentity;
  /** Whether a pod that ends has failed, also with exit code 0. Default: it has succeeded. */
  readonly mustNotEnd?: boolean;
  /** Whether Muster restarts failed replicas as new pods, instead of the kubelet or a Job, so that the failure policy applies. */
  readonly restartsAsPods?: boolean;
  /** Whether the kubelet can restart all containers of its pods in place. */
  readonly restartsInPlace?: boolean;
  /** They start and end together. `replicas` and indexes count pods (`replica-hosts.ts`). Default: 1. */
  readonly podsPerReplica?: number;
  /** Pods that are deleted first on scale-down. With unique names they are always deleted and replaced. Default: none. */
  readonly scaleDownFirst?: readonly string[];
}

/** The `index`-th replica of `role`, with or without a pod. */
export interface Replica {
  readonly role: ReplicaRole;
  readonly index: number;
  /** Set if the role keeps positions (`UniqueNames.positionOf`) and the pod exists or is to be created. */
  readonly position?: Position;
}

export interface TrainingJob<Options = unknown> {
  readonly resource: Resource;
  /** The version in which objects name the job. Default: the resource's. */
  readonly ownerVersion?: string;
  readonly metadata: ObjectMeta & { name: string; namespace: string; uid: string };
  /** In the adapter's fixed order. All decisions about roles follow this order. */
  readonly roles: readonly ReplicaRole[];
  readonly runPolicy: RunPolicy;
  readonly hold?: Hold;
  readonly status: JobStatus;
  /** Names of roles with a pod group of their own. Default: roles that the start order delays. */
  readonly rolesWithOwnGroup?: ReadonlySet<string>;
  readonly options: Options;
}

/** Counts of one role's replicas, without those that are being restarted. */
export interface RoleTally {
  readonly role: ReplicaRole;
  readonly running: number;
  readonly succeeded: number;
  /** Failed for good: the restart policy does not recreate them. */
  readonly failed: number;
  readonly ready: number;
  readonly hasFirstSucceeded: boolean;
  readonly failure?: { readonly reason: string; readonly message: string };
}
