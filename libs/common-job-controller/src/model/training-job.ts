/** A job as the engine sees it, whatever its kind: roles with replicas, a run policy, a status. */
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

/** A job's custom resource, as far as every kind agrees. */
export interface JobManifest extends KubeObject {
  spec?: object;
  status?: object;
}

/** What is recreated when a pod fails: its replica, all pods of its role, or all pods of the job. */
export type RestartScope = 'Replica' | 'Role' | 'Job';

/** One role of a job, with the defaults filled in. */
export interface ReplicaRole {
  /** As the manifest spells it, for example `Worker`: the key of `status.replicaStatuses`. */
  readonly name: string;
  /** Where it is a number that no role can have, or NaN, the engine keeps what there is. */
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  readonly restartPolicy: RestartPolicy;
  /** Whether the role's pods end when the work is done. Those that do not (parameter servers) are stopped at the end. */
  readonly endsByItself: boolean;
  /** The container whose exit code and ports count. */
  readonly containerName: string;
  /** The framework's port in that container, where it has one. */
  readonly port?: number;
  /**
   * Where a replica of the role that is lost cannot join again a job that runs, why, and what the user is to do, as a sentence.
   * One that has run is then not recreated, whoever ended it and whatever its restart policy; the job fails. Default: it can
   * join.
   */
  readonly cannotRejoin?: string;
  /**
   * Where the other replicas of a job that runs may wait for one that restarts alone, why, and what the user is to do, in whole sentences.
   * Default: they do not.
   */
  readonly peersMayWait?: string;
  /** How its pods are named, and by what they are made. Default: `Numbered`. */
  readonly identity?: ReplicaIdentity;
  /** Whether a pod of it that ends has failed, also with exit code 0. Default: then it has done its work. */
  readonly mustNotEnd?: boolean;
  /** Whether Muster restarts what has failed of it, as new pods, instead of the kubelet in place or a Job: a failure policy is asked then. */
  readonly restartsAsPods?: boolean;
  /** Whether its pods have what it takes to have the kubelet restart all of their containers. */
  readonly restartsInPlace?: boolean;
  /**
   * How many pods a replica of the role has, which live and end together. `replicas` and indexes count pods, so `replicas` is a
   * multiple of it, and a pod's index is that of its replica times it, plus that of the pod within (`replica-hosts.ts`). Default: 1.
   */
  readonly podsPerReplica?: number;
  /**
   * The names of pods that go first when the role is scaled down, by the kind's own spec; of a role with unique names they go in any
   * case, and others come. Default: none.
   */
  readonly scaleDownFirst?: readonly string[];
}

/** One pod-to-be: the `index`-th of `role`. */
export interface Replica {
  readonly role: ReplicaRole;
  readonly index: number;
  /** Where the role's positions are kept (`UniqueNames.positionOf`), and it is a pod that is there or to be made. */
  readonly position?: Position;
}

/** A job as the engine sees it, whatever its kind. */
export interface TrainingJob<Options = unknown> {
  readonly resource: Resource;
  readonly metadata: ObjectMeta & { name: string; namespace: string; uid: string };
  /** In the adapter's fixed order: everything that is decided over roles is decided in this order. */
  readonly roles: readonly ReplicaRole[];
  readonly runPolicy: RunPolicy;
  /** Why it may not run now. Undefined: it may, or has ended. */
  readonly hold?: Hold;
  readonly status: JobStatus;
  /** The names of roles with a pod group of their own. Default: those that are made later by the job's order. */
  readonly rolesWithOwnGroup?: ReadonlySet<string>;
  /** What the framework needs beyond roles. */
  readonly options: Options;
}

/** How the replicas of one role are doing, when those to be restarted are set aside. */
export interface RoleTally {
  readonly role: ReplicaRole;
  readonly running: number;
  readonly succeeded: number;
  /** Failed for good: the restart policy does not bring them back. */
  readonly failed: number;
  /** Of those that run, how many are ready. */
  readonly ready: number;
  /** Whether the replica of index 0 has succeeded. */
  readonly hasFirstSucceeded: boolean;
  /** Why the role's workload says that it has failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
}
