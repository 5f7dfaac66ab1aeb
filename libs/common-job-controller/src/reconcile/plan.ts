/**
 * What a pass is going to do: one list of operations in the order in which they are done (`operation-order.ts`). `planJob`
 * decides it, `execute` does it. The status comes first, so that what the job has become is on record before anything is done
 * that could hide why.
 */
import type { FailureClass, JobStatus, KubeObject, Resource } from '@muster/job-api';
import type { Question } from '../facts/fact.ts';
import type { ResourceChange, EnsuredObject } from '../owned-resources/owned-resources.ts';
import type { Shortage } from '../status/replica-failure.ts';
import type { RestartCause } from '../restarts/restart-cause.ts';
import type { UnwrittenStatus } from './world.ts';

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

/** How long a start took, in seconds from the job's start, for the histograms. */
export interface StartLatency {
  /** Until all pods were created, or until all replicas ran. */
  readonly stage: 'pods_created' | 'running';
  readonly seconds: number;
}

/** `training_operator_jobs_<name>_total` goes up by one. */
export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

/** The new status is written. Where that fails nothing of what follows is done. */
export interface StatusOperation {
  readonly op: 'status';
  /** The whole of the engine's record. */
  readonly status: JobStatus;
  /** The form in which it is stored, where that is another. */
  readonly stored?: object;
  /** Counted and observed once it is written. */
  readonly counters: readonly JobCounter[];
  /** Why, of each restart that is counted with it. */
  readonly restartCauses: readonly RestartCause[];
  readonly latencies: readonly StartLatency[];
  /** Of which class each failure is that was first put on record with it. Default: none. */
  readonly failures?: readonly FailureClass[];
}

/** The job gets its finalizer before all else, or loses it. */
interface FinalizerOperation<Op extends string> {
  readonly op: Op;
  readonly name: string;
}

/** Something is told on the job. */
export interface EventOperation {
  readonly op: 'event';
  readonly event: PlannedEvent;
}

/** Something is said to the outside; the answer is a fact of the job. */
interface CallOperation {
  readonly op: 'call';
  readonly question: Question;
}

/** The job itself goes: its time to live is over. */
interface DeleteJobOperation {
  readonly op: 'deleteJob';
}

export interface OnResource {
  readonly resource: Resource;
  /** Whether it is one of what the job has beside its pods and Services; those may be Services as well, a framework's own. */
  readonly isOwnedResource?: boolean;
}

interface OnObject<Op extends string> extends OnResource {
  readonly op: Op;
  readonly object: KubeObject;
}

/** An object without an owner that carries the job's labels and names becomes the job's. */
type AdoptOperation = OnObject<'adopt'>;

/** A pod whose labels do not name the job any more is the job's no longer. */
type ReleaseOperation = OnObject<'release'>;

interface DeleteOperation extends OnObject<'delete'> {
  /**
   * Deleted only as it was seen: because it runs. A pod may have ended since, which is the job's end before its suspension; or
   * the job's status tells of an end that the cache of pods does not show yet, as it does to an operator that has taken over,
   * and a pod that has ended keeps its log.
   */
  readonly asSeen?: boolean;
}

/** A pod that is deleted already, and whose node is lost, is deleted without waiting for its kubelet. */
interface ForceDeleteOperation extends OnObject<'forceDelete'> {
  /** Emitted once it is done. */
  readonly event: PlannedEvent;
}

/** The object is there and serves, before anything is made that needs it. */
interface EnsureOperation extends EnsuredObject {
  readonly op: 'ensure';
}

type CreateOperation = OnObject<'create'>;

/** An owned resource is changed, if it is still the one that was seen. */
interface PatchOperation extends OnObject<'patch'>, ResourceChange {}

/** A running pod is given annotations, whatever else of it has changed. */
interface AnnotateOperation extends OnObject<'annotate'> {
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export type Operation =
  | FinalizerOperation<'addFinalizer'>
  | FinalizerOperation<'removeFinalizer'>
  | StatusOperation
  | EventOperation
  | AdoptOperation
  | ReleaseOperation
  | DeleteOperation
  | ForceDeleteOperation
  | EnsureOperation
  | CreateOperation
  | PatchOperation
  | AnnotateOperation
  | CallOperation
  | DeleteJobOperation;

/** The operation of this name. */
export type OperationOf<Op extends Operation['op']> = Extract<Operation, { readonly op: Op }>;

export interface Plan {
  readonly operations: readonly Operation[];
  /** Set when the status is written later. */
  readonly unwritten?: UnwrittenStatus;
  /**
   * What the job lacks: the writes that there are to do, as `CreatePod`, those included that are not to be tried yet; and why
   * objects are not made at all.
   */
  readonly lacks: { readonly writes: readonly string[]; readonly because: readonly Shortage[] };
  /** For how long the plan holds, by the wall clock: until the job's deadline. Default: for ever. */
  readonly validForMs?: number | undefined;
  /** What the outside is to be asked, beside what the kind asks itself. */
  readonly questions?: readonly Question[];
  /** When to look again even if nothing happens. */
  readonly requeueAfterMs: number | undefined;
}

export const NOTHING_TO_DO: Plan = {
  operations: [],
  lacks: { writes: [], because: [] },
  requeueAfterMs: undefined,
};

/** The same operation on each of `objects`. */
export function onEach<Op extends 'adopt' | 'release' | 'delete' | 'create', T extends KubeObject>(
  op: Op,
  resource: Resource<T>,
  objects: readonly T[],
): OnObject<Op>[] {
  return objects.map((object) => ({ op, resource, object }));
}

export function toEmit(events: readonly PlannedEvent[]): EventOperation[] {
  return events.map((event) => ({ op: 'event', event }));
}

/** The operations of this name, in their order. */
export function operationsOf<Op extends Operation['op']>(
  { operations }: Pick<Plan, 'operations'>,
  op: Op,
): OperationOf<Op>[] {
  return operations.filter((each): each is OperationOf<Op> => each.op === op);
}

/** The status that is to be written; undefined when it stays as it is. */
export function plannedStatus(plan: Pick<Plan, 'operations'>): JobStatus | undefined {
  return operationsOf(plan, 'status')[0]?.status;
}
