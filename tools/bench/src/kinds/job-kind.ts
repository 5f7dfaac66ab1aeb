/** What a measurement of a load needs to know about a kind of jobs, of any operator. */
import type { KubeObject, Resource } from '@muster/job-api';

export interface JobKind {
  readonly resource: Resource<JobObject>;
  /** The container of the floor's bare pods. */
  readonly container: string;
  /** Whether its pods never end by themselves. */
  readonly runsOn?: boolean;
  /** @param trainingMs how long its pods run before they succeed; undefined: they keep running */
  manifest(name: string, pods: number, trainingMs: number | undefined): JobObject;
}

export interface JobObject extends KubeObject {
  status?: {
    /** Muster's, and KubeRay's. */
    state?: string;
    ready?: string;
    phase?: string;
    conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const SUCCEEDED = new Set(['succeeded', 'complete', 'completed']);
const RUNNING = new Set(['running', 'ready']);

/** By its state or phase, or by a true condition. */
export function hasSucceeded(job: JobObject): boolean {
  return isOneOf(job, SUCCEEDED);
}

export function isRunning(job: JobObject): boolean {
  return isOneOf(job, RUNNING);
}

function isOneOf({ status: { state, phase, conditions = [] } = {} }: JobObject, names: ReadonlySet<string>): boolean {
  // The state takes precedence: RayClusters have conditions that are true before they are ready.
  if (state !== undefined || phase !== undefined) return names.has((state ?? phase ?? '').toLowerCase());
  return conditions.some(({ type, status }) => status === 'True' && names.has(type.toLowerCase()));
}
