/**
 * All that one pass knows about one job: what the caches show, what earlier writes were told, and the time. Planning
 * reads this and nothing else.
 */
import type { Pod, Resource, Service, ServiceMode } from '@muster/job-api';
import type { JobManifest } from '../model/training-job.ts';
import { NO_CONTEXT, type JobContext } from '../model/job-context.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';
import type { GangSettings } from '../contract/gang-settings.ts';
import type { Shortage } from '../model/shortage.ts';

/** A write that the API server refused as invalid: the user has to change the job. */
export interface Refusal {
  /** The generation of the job that the refused object was made from. */
  readonly generation: number;
  /** The API server's words. */
  readonly message: string;
}

export type WriteVerb = 'Create' | 'Update' | 'Delete';

/** Writes of one verb to one kind of objects, of which some were refused. */
export interface WriteFailure extends Shortage {
  readonly verb: WriteVerb;
  /** Of the objects, for example `Pod`. */
  readonly kind: string;
  /** Those that were refused. Others of the kind are changed and deleted all the same, while none is created. */
  readonly names: ReadonlySet<string>;
  /** Whether the job can run without it: nothing else waits for it. */
  readonly isOptional: boolean;
  /** The generation of the job that it was for: a changed job is tried at once. */
  readonly generation: number;
  /** For how long it is left alone. */
  readonly waitMs: number;
}

/** The names of nodes that are not ready, and since when. */
export type LostNodes = ReadonlyMap<string, number>;

export interface World<Manifest extends JobManifest = JobManifest> extends JobContext {
  readonly manifest: Manifest;
  /** Of the kinds that a job may own, those that the cluster does not serve. */
  readonly absentKinds?: readonly Resource[];
  /** Undefined where Muster does not queue its jobs. */
  readonly queueing?: QueueingObjects | undefined;
  /** With the job's labels, whoever controls them, as are its pods. */
  readonly services: readonly Service[];
  /** Names that other owners hold, as creates have found out a short while ago, each with the sentence that says whose. */
  readonly takenPods: ReadonlyMap<string, string>;
  readonly takenServices: ReadonlyMap<string, string>;
  readonly refusal: Refusal | undefined;
  /** What else was refused when it was last tried. */
  readonly writeFailures: readonly WriteFailure[];
  /** The nodes of its pods that are not ready, and since when; undefined where the operator does not watch nodes. */
  readonly lostNodes: LostNodes | undefined;
  /** What events to be told once have been about. */
  readonly emittedEvents: ReadonlySet<string>;
  /** Pods that were being deleted when this process last saw them, and have gone since, not longer than a minute ago. Default: none. */
  readonly deletedPods?: readonly Pod[];
  /** For how long this process has seen the job, by its own clock. */
  readonly seenForMs: number;
  /** Whether this process has written the job's status. */
  readonly hasWrittenStatus: boolean;
}

/** The World of a job that has nothing yet. */
export function newWorld<Manifest extends JobManifest>(manifest: Manifest, nowMs: number): World<Manifest> {
  return {
    manifest,
    services: [],
    takenPods: new Map(),
    takenServices: new Map(),
    refusal: undefined,
    writeFailures: [],
    ...NO_CONTEXT,
    nowMs,
    lostNodes: undefined,
    emittedEvents: new Set(),
    seenForMs: 0,
    hasWrittenStatus: false,
  };
}

/** What holds for all jobs of the operator. */
export interface PlanSettings extends GangSettings {
  readonly serviceMode: ServiceMode;
  readonly clusterDomain: string;
  /** What the init containers run by which roles wait for others. Default: the image of the role's own program. */
  readonly startOrderInitImage?: string | undefined;
  /** How long other containers of a pod may run after its main container and its job have ended. Default: 30 seconds. */
  readonly sidecarGraceMs?: number;
  /** How many pods and Services a pass writes at most. Default: all that there are to write. */
  readonly writesPerPass?: number;
  /** Whether jobs may ask for pods on lost nodes to be deleted by force. Default: they may not. */
  readonly forceDeletePodsOnLostNodes?: boolean;
  /** Whether Muster makes the Workloads by which Kueue queues its jobs. Default: that is left to Kueue. */
  readonly kueue?: boolean;
  /** Whether no role waits for another, for those who want to see all pods. Default: roles wait. */
  readonly startsAtOnce?: boolean;
}
