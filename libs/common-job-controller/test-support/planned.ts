import {
  PODS,
  SERVICES,
  type FailureClass,
  type JobStatus,
  type KubeObject,
  type Pod,
  type Resource,
  type Service,
} from '@muster/job-api';
import type { RestartCause, JobCounter, StartLatency } from '../src/model/status-write.ts';
import { writesOf, type WriteOf } from '../src/model/write.ts';
import type { Plan } from '../src/reconcile/plan.ts';

interface PodsAndServices {
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
}

export interface Planned extends Omit<Plan, 'status' | 'writes'> {
  readonly status: JobStatus | undefined;
  readonly stored: object | undefined;
  readonly counters: readonly JobCounter[];
  readonly restartCauses: readonly RestartCause[];
  readonly latencies: readonly StartLatency[];
  readonly failures: readonly FailureClass[];
  readonly adopt: PodsAndServices;
  readonly release: readonly Pod[];
  readonly remove: PodsAndServices;
  readonly removesAsSeen: boolean;
  readonly forced: readonly WriteOf<'forceDelete'>[];
  readonly ensure: readonly WriteOf<'ensure'>[];
  readonly ownedResources: {
    readonly create: readonly WriteOf<'create'>[];
    readonly change: readonly WriteOf<'patch'>[];
    readonly remove: readonly WriteOf<'delete'>[];
  };
  readonly create: PodsAndServices;
  readonly annotate: readonly WriteOf<'annotate'>[];
  readonly deleteJob: boolean;
}

export function planned(plan: Plan): Planned {
  const { status, writes, ...rest } = plan;
  const deletions = writesOf(plan, 'delete');
  const creations = writesOf(plan, 'create');
  return {
    ...rest,
    status: status?.status,
    stored: status?.stored,
    counters: status?.counters ?? [],
    restartCauses: status?.restartCauses ?? [],
    latencies: status?.latencies ?? [],
    failures: status?.failures ?? [],
    adopt: podsAndServices(writesOf(plan, 'adopt')),
    release: objectsOf(PODS, writesOf(plan, 'release')),
    remove: podsAndServices(deletions),
    removesAsSeen: deletions.some(({ asSeen }) => asSeen),
    forced: writesOf(plan, 'forceDelete'),
    ensure: writesOf(plan, 'ensure'),
    ownedResources: {
      create: creations.filter(isOfOwnedResource),
      change: writesOf(plan, 'patch'),
      remove: deletions.filter(isOfOwnedResource),
    },
    create: podsAndServices(creations),
    annotate: writesOf(plan, 'annotate'),
    deleteJob: writes.some(({ op }) => op === 'deleteJob'),
  };
}

type OnObject = WriteOf<'adopt' | 'release' | 'delete' | 'create'>;

function podsAndServices(operations: readonly OnObject[]): PodsAndServices {
  return { pods: objectsOf(PODS, operations), services: objectsOf(SERVICES, operations) };
}

/** A write to a resource has an object of that resource's type. */
function objectsOf<T extends KubeObject>(resource: Resource<T>, operations: readonly OnObject[]): T[] {
  return operations
    .filter((each) => each.resource === resource && each.isOwnedResource !== true)
    .map(({ object }) => object as T);
}

function isOfOwnedResource({ isOwnedResource }: OnObject): boolean {
  return isOwnedResource === true;
}
