/** `reconcile/write-order.ts` has the order of the writes. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Probe } from '@muster/probes';
import type { ResourceChange, EnsuredObject } from './owned-resources.ts';
import type { PlannedEvent } from './event.ts';

/** Adds the finalizer before any object of the job is created, or removes it. */
interface FinalizerWrite<Op extends string> {
  readonly op: Op;
  readonly name: string;
}

interface CallWrite {
  readonly op: 'call';
  readonly probe: Probe;
}

interface DeleteJobWrite {
  readonly op: 'deleteJob';
}

export interface OnResource {
  readonly resource: Resource;
  /** Whether it is an owned resource, which may also be a Service of a framework. */
  readonly isOwnedResource?: boolean;
}

interface OnObject<Op extends string> extends OnResource {
  readonly op: Op;
  readonly object: KubeObject;
}

/** Makes the job the owner of an object that has its labels and no owner. */
type AdoptWrite = OnObject<'adopt'>;

/** Removes the owner reference from a pod whose labels no longer name the job. */
type ReleaseWrite = OnObject<'release'>;

interface DeleteWrite extends OnObject<'delete'> {
  /**
   * Deletes only the observed resourceVersion: a pod that ended in the meantime keeps its log, and its job has ended before its suspension.
   */
  readonly asSeen?: boolean;
}

/** Deletes a terminating pod on a lost node without waiting for the kubelet. */
interface ForceDeleteWrite extends OnObject<'forceDelete'> {
  readonly event: PlannedEvent;
}

/** Creates or completes an object before the objects that need it. */
interface EnsureWrite extends EnsuredObject {
  readonly op: 'ensure';
}

type CreateWrite = OnObject<'create'>;

/** Changes an owned resource only if it is still the observed version. */
interface PatchWrite extends OnObject<'patch'>, ResourceChange {}

/** Sets annotations on a running pod, whatever version it has. */
interface AnnotateWrite extends OnObject<'annotate'> {
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export type Write =
  | FinalizerWrite<'addFinalizer'>
  | FinalizerWrite<'removeFinalizer'>
  | AdoptWrite
  | ReleaseWrite
  | DeleteWrite
  | ForceDeleteWrite
  | EnsureWrite
  | CreateWrite
  | PatchWrite
  | AnnotateWrite
  | CallWrite
  | DeleteJobWrite;

export type WriteOf<Op extends Write['op']> = Extract<Write, { readonly op: Op }>;

export function onEach<Op extends 'adopt' | 'release' | 'delete' | 'create', T extends KubeObject>(
  op: Op,
  resource: Resource<T>,
  objects: readonly T[],
): OnObject<Op>[] {
  return objects.map((object) => ({ op, resource, object }));
}

export function writesOf<Op extends Write['op']>(
  { writes }: { readonly writes: readonly Write[] },
  op: Op,
): WriteOf<Op>[] {
  return writes.filter((each): each is WriteOf<Op> => each.op === op);
}

export function calls(probes: readonly Probe[] = []): WriteOf<'call'>[] {
  return probes.map((probe) => ({ op: 'call', probe }));
}
