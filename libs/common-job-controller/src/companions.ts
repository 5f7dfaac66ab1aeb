/**
 * Objects that a job has beside pods and Services: its pod group, its autoscaler, what a framework mounts or grants. Each
 * is made before the pods, kept as it should be while the job runs, and found again by its owner. One that belongs to
 * somebody else is never touched.
 */
import type { KubeObject, Resource } from '@muster/job-api';
import type { TrainingJob } from './adapter.ts';
import { controllerOf, ownershipOf } from './ownership.ts';
import type { Plan } from './plan.ts';

/**
 * A kind of companions. The operator watches those with the labels of its jobs, of which a cluster may have few among many.
 * One that another operator has made for a job is given them (`label-companions.ts`, and when it is in the way).
 */
export interface CompanionKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** Whether it goes when the job is suspended or has ended; the others stay as long as the job. */
  readonly endsWithRun: boolean;
  /** Whether a job can run without it: one that cannot be made holds nothing else back. */
  readonly isOptional?: boolean;
  /** What of it the cache keeps; it is called with whole objects. */
  trim(object: T): T;
}

/** A merge patch, of the whole object or of a subresource. */
export interface CompanionChange {
  readonly patch: object;
  readonly subresource?: 'status';
}

/** A companion as the job should have it. */
export interface DesiredCompanion<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  /**
   * What makes `existing` what it should be; undefined when it is already. `Recreate`: no patch does, so it is deleted, and made
   * when it is gone.
   */
  change(existing: T): CompanionChange | 'Recreate' | undefined;
}

/**
 * An object that Muster may make and read, but neither list nor watch: a Secret. It is made sure of each time before pods are
 * made that need it.
 */
export interface EnsuredObject {
  readonly resource: Resource;
  /** Without what must not stand in a plan. */
  readonly object: KubeObject;
  /** `object` with that; called when it is made. */
  complete(object: KubeObject): KubeObject;
  /** Whether one that is there serves its purpose; one that does not is made complete. */
  serves(existing: KubeObject): boolean;
}

/** A companion that is there. */
export interface Companion {
  readonly kind: CompanionKind;
  readonly object: KubeObject;
}

type Owner = Pick<TrainingJob, 'metadata'>;

/** What to do so that the job has `desired` and, of the kinds that end with a run, nothing else. */
export function planCompanions(
  job: Owner,
  existing: readonly Companion[],
  desired: readonly DesiredCompanion[],
): Plan['companions'] {
  const held = existing.filter(({ object }) => ownershipOf(object, job.metadata.uid) === 'owned');
  const own = ownCompanions(job, existing);
  const found = (wanted: DesiredCompanion) => own.find((companion) => isSame(companion, wanted));
  const changes = desired.flatMap((wanted) => {
    const { object } = found(wanted) ?? {};
    const change = object === undefined ? undefined : wanted.change(object);
    return object === undefined || change === undefined ? [] : [{ resource: wanted.resource, object, change }];
  });
  const obsolete = own.filter(
    (companion) => companion.kind.endsWithRun && !desired.some((wanted) => isSame(companion, wanted)),
  );
  return {
    // One that is going holds its name until it is gone.
    create: desired
      .filter((wanted) => !held.some((companion) => isSame(companion, wanted)))
      .map(({ resource, object }) => ({ resource, object })),
    change: changes.flatMap(({ change, ...each }) => (change === 'Recreate' ? [] : [{ ...each, ...change }])),
    remove: [
      ...obsolete.map(({ kind: { resource }, object }) => ({ resource, object })),
      ...changes.flatMap(({ change, ...each }) => (change === 'Recreate' ? [each] : [])),
    ],
  };
}

/** Those that the job controls and that are not going. */
export function ownCompanions(job: Owner, existing: readonly Companion[]): Companion[] {
  return existing.filter(
    ({ object }) =>
      ownershipOf(object, job.metadata.uid) === 'owned' && object.metadata?.deletionTimestamp === undefined,
  );
}

function isSame({ kind, object }: Companion, wanted: DesiredCompanion): boolean {
  return kind.resource === wanted.resource && object.metadata?.name === wanted.object.metadata?.name;
}

/** The index of companions: `namespace/job` of the job that controls them. */
export function ownerKeyOf(object: KubeObject): string[] {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [`${object.metadata?.namespace}/${controller.name}`];
}
