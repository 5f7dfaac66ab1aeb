/** A job of any kind, as the engine sees it: roles with replicas, a run policy, a status. */
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

/** The fields that the custom resources of all kinds share. */
export interface JobManifest extends KubeObject {
  spec?: object;
  status?: object;
}

/** What is recreated when a pod fails: its replica, all pods of its role, or all pods of the job. */
export type RestartScope = 'Replica' | 'Role' | 'Job';

/** One role of a job, with defaults applied. */
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
  /** The framework's port in that container, if it has one. */
  readonly port?: number;
  /**
   * Set if a lost replica of the role cannot rejoin a running job: the cause and what the user should do, as a sentence. A replica that has
   * run is not recreated then, whatever its restart policy; the job fails. Default: it can rejoin.
   */
  readonly cannotRejoin?: string;
  /**
   * Set if the other replicas may wait for one that is restarted alone: the cause and what the user should do, as whole sentences. Default:
   * they do not wait.
   */
  readonly peersMayWait?: string;
  /** Default: `Numbered`. */
  readonly identity?: ReplicaIdentity;
  /** Whether a pod that ends has failed, also with exit code 0. Default: it has succeeded. */
  readonly mustNotEnd?: boolean;
  /** Whether Muster restarts failed replicas as new pods, instead of the kubelet or a Job, so that the failure policy applies. */
  readonly restartsAsPods?: boolean;
  /** Whether the kubelet can restart all containers of its pods in place. */
  readonly restartsInPlace?: boolean;
  /**
   * Pods per replica, which start and end together. `replicas` and indexes count pods: `replicas` is a multiple of it (see
   * `replica-hosts.ts`). Default: 1.
   */
  readonly podsPerReplica?: number;
  /**
   * Names of pods that are deleted first when the role is scaled down, from the kind's spec. In a role with unique names they are always
   * deleted and replaced. Default: none.
   */
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
  readonly metadata: ObjectMeta & { name: string; namespace: string; uid: string };
  /** In the adapter's fixed order. All decisions about roles follow this order. */
  readonly roles: readonly ReplicaRole[];
  readonly runPolicy: RunPolicy;
  /** Why it may not run now. Undefined if it may run or has ended. */
  readonly hold?: Hold;
  readonly status: JobStatus;
  /** Names of roles with a pod group of their own. Default: roles that the start order delays. */
  readonly rolesWithOwnGroup?: ReadonlySet<string>;
  /** What the framework needs beyond roles. */
  readonly options: Options;
}

/** Counts of one role's replicas, without those that are being restarted. */
export interface RoleTally {
  readonly role: ReplicaRole;
  readonly running: number;
  readonly succeeded: number;
  /** Failed for good: the restart policy does not recreate them. */
  readonly failed: number;
  /** How many of the running ones are ready. */
  readonly ready: number;
  /** Whether the replica of index 0 has succeeded. */
  readonly hasFirstSucceeded: boolean;
  /** Why the role's Job or StatefulSet has failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
}
