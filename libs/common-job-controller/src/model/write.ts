/** The writes that a reconcile run makes beside the job's status. `reconcile/write-order.ts` says in which order they are made. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Question } from './fact.ts';
import type { ResourceChange, EnsuredObject } from './owned-resources.ts';
import type { PlannedEvent } from './event.ts';

/** The job gets its finalizer before anything is created for it, or loses it. */
interface FinalizerWrite<Op extends string> {
  readonly op: Op;
  readonly name: string;
}

/** A request to something outside of the API server; the answer becomes a fact of the job. */
interface CallWrite {
  readonly op: 'call';
  readonly question: Question;
}

/** The job itself is deleted: its time to live is over. */
interface DeleteJobWrite {
  readonly op: 'deleteJob';
}

export interface OnResource {
  readonly resource: Resource;
  /** Whether it is an owned resource; those may be Services as well, of a framework. */
  readonly isOwnedResource?: boolean;
}

interface OnObject<Op extends string> extends OnResource {
  readonly op: Op;
  readonly object: KubeObject;
}

/** An object without an owner that has the job's labels and names becomes the job's. */
type AdoptWrite = OnObject<'adopt'>;

/** A pod whose labels do not name the job any more loses the job as its owner. */
type ReleaseWrite = OnObject<'release'>;

interface DeleteWrite extends OnObject<'delete'> {
  /**
   * Deleted only with the resourceVersion that was observed. The pod may have ended since, which would be the job's end before its
   * suspension. Or the cache of pods is behind the job's status, as after a change of leaders: a pod that has ended keeps its log.
   */
  readonly asSeen?: boolean;
}

/** A pod that is being deleted on a lost node is deleted without waiting for its kubelet. */
interface ForceDeleteWrite extends OnObject<'forceDelete'> {
  /** Emitted once it is done. */
  readonly event: PlannedEvent;
}

/** The object exists and serves before anything is created that needs it. */
interface EnsureWrite extends EnsuredObject {
  readonly op: 'ensure';
}

type CreateWrite = OnObject<'create'>;

/** An owned resource is changed, if it is still the one that was observed. */
interface PatchWrite extends OnObject<'patch'>, ResourceChange {}

/** A running pod is given annotations, whatever else of it has changed. */
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

/** The write of this name. */
export type WriteOf<Op extends Write['op']> = Extract<Write, { readonly op: Op }>;

/** The same write for each of `objects`. */
export function onEach<Op extends 'adopt' | 'release' | 'delete' | 'create', T extends KubeObject>(
  op: Op,
  resource: Resource<T>,
  objects: readonly T[],
): OnObject<Op>[] {
  return objects.map((object) => ({ op, resource, object }));
}

/** The writes of this name, in their order. */
export function writesOf<Op extends Write['op']>(
  { writes }: { readonly writes: readonly Write[] },
  op: Op,
): WriteOf<Op>[] {
  return writes.filter((each): each is WriteOf<Op> => each.op === op);
}

export function calls(questions: readonly Question[] = []): WriteOf<'call'>[] {
  return questions.map((question) => ({ op: 'call', question }));
}
