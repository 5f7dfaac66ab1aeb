/** `reconcile/write-order.ts` has the order of the writes. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Probe } from '@muster/probes';
import type { ResourceChange, EnsuredObject } from './owned-resources.ts';
import type { PlannedEvent } from './event.ts';

export interface OnResource {
  readonly resource: Resource;
  /** Whether it is an owned resource, which may also be a Service of a framework. */
  readonly isOwnedResource?: boolean;
}

interface OnObject extends OnResource {
  readonly object: KubeObject;
}

/** The fields of each write, by its `op`. */
interface Writes {
  /** Before any object of the job is created. */
  readonly addFinalizer: { readonly name: string };
  readonly removeFinalizer: { readonly name: string };
  /** Makes the job the owner of an object that has its labels and no owner. */
  readonly adopt: OnObject;
  /** Removes the owner reference from a pod whose labels no longer name the job. */
  readonly release: OnObject;
  /** `asSeen`: only the observed version. A pod that ended in the meantime keeps its log, and its job has ended before its suspension. */
  readonly delete: OnObject & { readonly asSeen?: boolean };
  /** Deletes a terminating pod on a lost node without waiting for the kubelet. */
  readonly forceDelete: OnObject & { readonly event: PlannedEvent };
  /** Creates or completes an object before the objects that need it. */
  readonly ensure: EnsuredObject;
  readonly create: OnObject;
  /** Changes an owned resource only if it is still the observed version. */
  readonly patch: OnObject & ResourceChange;
  /** Changes a running pod, whatever version it has. */
  readonly annotate: OnObject & {
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly call: { readonly probe: Probe };
  readonly deleteJob: object;
}

export type Write = { [Op in keyof Writes]: { readonly op: Op } & Writes[Op] }[keyof Writes];

export type WriteOf<Op extends Write['op']> = Extract<Write, { readonly op: Op }>;

export function onEach<Op extends 'adopt' | 'release' | 'delete' | 'create', T extends KubeObject>(
  op: Op,
  resource: Resource<T>,
  objects: readonly T[],
): (OnObject & { readonly op: Op })[] {
  return objects.map((object) => ({ op, resource, object }));
}

export function writesOf<Op extends Write['op']>(plan: { readonly writes: readonly Write[] }, op: Op): WriteOf<Op>[] {
  return plan.writes.filter((each): each is WriteOf<Op> => each.op === op);
}

export function calls(probes: readonly Probe[] = []): WriteOf<'call'>[] {
  return probes.map((probe) => ({ op: 'call', probe }));
}
