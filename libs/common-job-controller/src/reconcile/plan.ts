/**
 * What a pass is going to do. `planJob` decides it; `execute` does it, in the order of the fields: the status comes
 * first, so that what the job has become is on record before anything is done that could hide why.
 */
import type { JobStatus, KubeObject, Pod, Resource, Service } from '@muster/job-api';
import type { ResourceChange, EnsuredObject } from '../owned-resources/owned-resources.ts';
import type { Shortage } from '../status/replica-failure.ts';

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, past tense where it is something that happened. */
  readonly reason: string;
  readonly note: string;
  /** What Muster was doing, in one CamelCase word. */
  readonly action: string;
  /** Set when it is to be told once only: what it is about, for example a pod's UID. */
  readonly once?: string;
}

/** An owned resource to be made or deleted. */
export interface PlannedResource {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export interface ForcedDeletion {
  readonly pod: Pod;
  /** Emitted once it is done. */
  readonly event: PlannedEvent;
}

/** How long a start took, in seconds from the job's start, for the histograms. */
export interface StartLatency {
  /** Until all pods were created, or until all replicas ran. */
  readonly stage: 'pods_created' | 'running';
  readonly seconds: number;
}

/** `training_operator_jobs_<name>_total` goes up by one. */
export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

export interface Plan {
  /** The whole new status; undefined when it stays as it is. */
  readonly status: JobStatus | undefined;
  /** The form in which `status` is stored, where it is not the engine's own. */
  readonly stored?: object;
  /** Put on the job before all else, or taken off it. */
  readonly finalizer?: { readonly name: string; readonly change: 'Add' | 'Remove' };
  /** What of a status that is written later must not be forgotten until then, though the pods that show it may go. */
  readonly unwritten?: JobStatus['replicaStatuses'];
  /** Emitted and counted once the status is written. */
  readonly events: readonly PlannedEvent[];
  readonly counters: readonly JobCounter[];
  readonly latencies: readonly StartLatency[];
  /** Pods whose labels do not name the job any more. */
  readonly release: readonly Pod[];
  /** Objects without an owner that carry the job's labels and names. */
  readonly adopt: { readonly pods: readonly Pod[]; readonly services: readonly Service[] };
  /** The job itself goes: its time to live is over. */
  readonly deleteJob: boolean;
  readonly remove: { readonly pods: readonly Pod[]; readonly services: readonly Service[] };
  /**
   * Pods are deleted only as they were seen: because they run. A pod may have ended since, which is the job's end before its
   * suspension; or the job's status tells of an end that the cache of pods does not show yet, as it does to an operator that has
   * taken over, and a pod that has ended keeps its log.
   */
  readonly removesAsSeen?: boolean;
  /** Pods that are deleted already, and whose node is lost: deleted without waiting for its kubelet. */
  readonly forced: readonly ForcedDeletion[];
  /** There, before anything is made that needs it. */
  readonly ensure: readonly EnsuredObject[];
  /** Made and changed before pods are made. */
  readonly ownedResources: {
    readonly create: readonly PlannedResource[];
    readonly change: readonly (PlannedResource & ResourceChange)[];
    readonly remove: readonly PlannedResource[];
  };
  /** Services come before pods: a pod's names are those of Services that exist. */
  readonly create: { readonly services: readonly Service[]; readonly pods: readonly Pod[] };
  /** Running pods whose annotations have changed, after all that they mount has. */
  readonly annotate: readonly { readonly pod: Pod; readonly annotations: Readonly<Record<string, string>> }[];
  /**
   * What the job lacks: the kinds of objects that would be made, those included that are not to be tried yet; and why others
   * are not made at all.
   */
  readonly lacks: { readonly kinds: readonly string[]; readonly because: readonly Shortage[] };
  /** For how long the plan holds, by the wall clock: until the job's deadline. Default: for ever. */
  readonly validForMs?: number | undefined;
  /** When to look again even if nothing happens. */
  readonly requeueAfterMs: number | undefined;
}

export const NOTHING_TO_DO: Plan = {
  status: undefined,
  events: [],
  counters: [],
  latencies: [],
  release: [],
  adopt: { pods: [], services: [] },
  deleteJob: false,
  remove: { pods: [], services: [] },
  forced: [],
  ensure: [],
  ownedResources: { create: [], change: [], remove: [] },
  create: { services: [], pods: [] },
  annotate: [],
  lacks: { kinds: [], because: [] },
  requeueAfterMs: undefined,
};
