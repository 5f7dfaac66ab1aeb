/** Planning reads nothing but the World and its settings. */
import type { Pod, Resource, Service, ServiceMode } from '@muster/job-api';
import type { JobManifest } from '../model/training-job.ts';
import { NO_CONTEXT, type JobContext } from '../model/job-context.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';
import type { GangSettings } from '../contract/gang-settings.ts';
import type { Shortage } from '../model/shortage.ts';

/** A write that the API server refused as invalid. The user has to change the job. */
export interface InvalidObject {
  /** The job's generation that the refused object was derived from. */
  readonly generation: number;
  readonly message: string;
}

export type WriteVerb = 'Create' | 'Update' | 'Delete';

export interface WriteFailure extends Shortage {
  readonly verb: WriteVerb;
  readonly kind: string;
  /** The refused objects. Other objects of the kind are still changed and deleted, but none is created. */
  readonly names: ReadonlySet<string>;
  /** Whether the job can run without the objects: nothing waits for them. */
  readonly isOptional: boolean;
  /** The job's generation at the write. A changed job is tried at once. */
  readonly generation: number;
  /** How long it is not tried again. */
  readonly waitMs: number;
}

/** Nodes that are not ready, by name, with the time since when. */
export type LostNodes = ReadonlyMap<string, number>;

/** What the process has seen of a job, beside the caches. */
export interface Remembered {
  /** Names that creates found to belong to other owners shortly before, each with a message that names the owner. */
  readonly conflictingPods: ReadonlyMap<string, string>;
  readonly conflictingServices: ReadonlyMap<string, string>;
  readonly invalidObject: InvalidObject | undefined;
  readonly writeFailures: readonly WriteFailure[];
  /** The dedup keys of events that were emitted. */
  readonly emittedEvents: ReadonlySet<string>;
  /** Pods that this process saw being deleted and that are gone since, for up to a minute. Default: none. */
  readonly deletedPods?: readonly Pod[];
  /** For how long this process has observed the job, by its own clock. */
  readonly seenForMs: number;
  /** Whether this process has written the job's status. */
  readonly hasWrittenStatus: boolean;
}

export interface World<Manifest extends JobManifest = JobManifest> extends JobContext, Remembered {
  readonly manifest: Manifest;
  readonly absentKinds?: readonly Resource[];
  /** Undefined if Muster does not manage Kueue Workloads for its jobs. */
  readonly queueing?: QueueingObjects | undefined;
  readonly services: readonly Service[];
  /** The nodes of the job's pods that are not ready. Undefined if the operator does not watch nodes. */
  readonly lostNodes: LostNodes | undefined;
}

export function newWorld<Manifest extends JobManifest>(manifest: Manifest, nowMs: number): World<Manifest> {
  return {
    manifest,
    services: [],
    conflictingPods: new Map(),
    conflictingServices: new Map(),
    invalidObject: undefined,
    writeFailures: [],
    ...NO_CONTEXT,
    nowMs,
    lostNodes: undefined,
    emittedEvents: new Set(),
    seenForMs: 0,
    hasWrittenStatus: false,
  };
}

export interface PlanSettings extends GangSettings {
  readonly serviceMode: ServiceMode;
  readonly clusterDomain: string;
  /** The image of init containers that wait for other roles. Default: the image of the role's own program. */
  readonly startOrderInitImage?: string | undefined;
  /** How long sidecars may run after the main container and the job have ended, in milliseconds. Default: 30 seconds. */
  readonly sidecarGraceMs?: number;
  /** Limit of pods and Services written in one run. Default: no limit. */
  readonly writesPerRun?: number;
  /** Whether jobs may request forced deletion of pods on lost nodes. Default: no. */
  readonly forceDeletePodsOnLostNodes?: boolean;
  /** Whether Muster creates the Workloads for Kueue. Default: Kueue does. */
  readonly kueue?: boolean;
  /** Whether pods wait neither for other roles nor for their gang, to show all of them. Default: they wait. */
  readonly startsAtOnce?: boolean;
}
