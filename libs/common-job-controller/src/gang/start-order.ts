/**
 * By the job's `runPolicy.startOrder`, otherwise by the framework. Pods of waiting roles are not created; existing pods are kept. Roles
 * that wait in an init container (`pods/start-waits.ts`) are created at once.
 */
import type { EventReason } from '@muster/job-api';
import type { FrameworkAdapter, Problem } from '../contract/adapter.ts';
import { runPolicyOf, readJob } from '../contract/read-manifest.ts';
import { leastOf, sum } from './gang-size.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { awaitedReplicas } from '../pods/start-waits.ts';
import { isStartDelayed, laterOrderOf, orderOf } from '../model/start-order.ts';
import type { JobManifest, ReplicaRole, RoleTally, TrainingJob } from '../model/training-job.ts';
import { tallies } from '../replicas/job-replicas.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import type { PlannedEvent } from '../model/event.ts';

type Ordering = Pick<FrameworkAdapter, 'scheduling' | 'pod'>;

export function mayStart(
  adapter: Ordering,
  job: TrainingJob,
  role: ReplicaRole,
  counts: readonly RoleTally[],
): boolean {
  return orderOf(job, role)?.initContainer !== undefined || mayRun(adapter, job, role, counts);
}

/** Whether programs of the role may start. */
function mayRun(adapter: Ordering, job: TrainingJob, role: ReplicaRole, counts: readonly RoleTally[]): boolean {
  if (orderOf(job, role) === undefined) return adapter.scheduling?.mayStart?.(job, role, counts) ?? true;
  return awaited(adapter, job, role, counts).length === 0;
}

/** The roles that wait. A role that a gang counts does not wait: the gang would never be complete. */
export function heldBackRoles(
  adapter: Ordering,
  job: TrainingJob,
  counts: readonly RoleTally[],
  gang: GangScheduler | undefined,
): ReadonlySet<ReplicaRole> {
  const starts = (role: ReplicaRole) =>
    (gang !== undefined && leastOf(adapter, job, role) > 0) || mayStart(adapter, job, role, counts);
  return new Set(job.roles.filter((role) => !starts(role)));
}

export function waitingRoles(
  adapter: Ordering,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  emitted: ReadonlySet<string>,
): PlannedEvent[] {
  const reason = 'WaitingForRole' satisfies EventReason;
  return roleWaits(adapter, job, replicas).flatMap(({ role, note }) => {
    const dedupKey = `${reason} ${role.name}`;
    return emitted.has(dedupKey) ? [] : [{ type: 'Normal', reason, note, action: 'Schedule', dedupKey }];
  });
}

export interface RoleWait {
  readonly role: ReplicaRole;
  readonly note: string;
}

export function roleWaits(adapter: Ordering, job: TrainingJob, replicas: readonly ReplicaPod[]): RoleWait[] {
  return job.roles.flatMap((role) => {
    if (laterOrderOf(job, role) === undefined || !isMissing(role, replicas)) return [];
    const missing = awaited(adapter, job, role, tallies(job, replicas));
    if (missing.length === 0) return [];
    const note = `No pods of ${role.name} are created before ${missing.join(', and ')} (spec.runPolicy.startOrder).`;
    return [{ role, note }];
  });
}

export function frameworkWaits(
  adapter: Ordering,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  gang: GangScheduler | undefined,
): RoleWait[] {
  const { scheduling } = adapter;
  if (scheduling?.waitsFor === undefined) return [];
  const waitsFor = scheduling.waitsFor.bind(scheduling);
  const counts = tallies(job, replicas);
  return [...heldBackRoles(adapter, job, counts, gang)]
    .filter((role) => orderOf(job, role) === undefined && isMissing(role, replicas))
    .map((role) => ({ role, note: `No pods of ${role.name} are created before ${waitsFor(job, role, counts)}.` }));
}

function isMissing(role: ReplicaRole, replicas: readonly ReplicaPod[]): boolean {
  return replicas.some((each) => each.role === role && isToCreate(each));
}

/** Conflicts with the framework's order, the roles or the gang that the schema cannot detect. The manifest must have no other problems. */
export function startOrderProblems(adapter: FrameworkAdapter, manifest: JobManifest): Problem[] {
  if (runPolicyOf(adapter, manifest).startOrder === undefined) return [];
  const job = readJob(adapter, manifest);
  return [
    ...unknownRoles(job),
    ...waitProblems(adapter, job),
    ...deadlocks(adapter, job),
    ...gangProblems(adapter, job),
  ];
}

const PATH = 'spec.runPolicy.startOrder';

function unknownRoles({ roles, runPolicy: { startOrder = [] } }: TrainingJob): Problem[] {
  const known = new Set(roles.map(({ name }) => name));
  const ifUnknown = (name: string, path: string): Problem[] =>
    known.has(name) ? [] : [{ path, message: `the job has no role ${name}: remove it here, or add the role` }];
  return startOrder.flatMap(({ role, dependsOn }, at) => [
    ...ifUnknown(role, `${PATH}[${at}].role`),
    ...dependsOn.flatMap((name, index) => ifUnknown(name, `${PATH}[${at}].dependsOn[${index}]`)),
  ]);
}

/** A waiting pod has the addresses of all awaited pods in one variable, which is limited to 128 KiB. */
const MOST_AWAITED = 500;

function waitProblems(adapter: Ordering, job: TrainingJob): Problem[] {
  return (job.runPolicy.startOrder ?? []).flatMap(({ dependsOn, initContainer }, at) => {
    const path = `${PATH}[${at}].initContainer`;
    const awaited = initContainer === undefined ? [] : job.roles.filter(({ name }) => dependsOn.includes(name));
    return awaited.flatMap((role) => {
      const count = awaitedReplicas(adapter, job, role);
      const tooMany =
        `would wait for ${count} pods of ${role.name}, but an init container can wait for at most ${MOST_AWAITED}: ` +
        'without initContainer, the pods are created later instead';
      return [
        ...(count > MOST_AWAITED ? [{ path, message: tooMany }] : []),
        ...(initContainer?.port === undefined && role.port === undefined
          ? [{ path: `${path}.port`, message: `Required value: the port on which pods of ${role.name} listen` }]
          : []),
      ];
    });
  });
}

/** Simulates the start of roles, each as soon as it may, to find those that never start. */
function deadlocks(adapter: Ordering, job: TrainingJob): Problem[] {
  let started: readonly ReplicaRole[] = [];
  for (;;) {
    const counts = job.roles.map((role) => {
      const running = started.includes(role) ? role.replicas : 0;
      return { role, running, ready: running, succeeded: 0, failed: 0, hasFirstSucceeded: false };
    });
    const next = job.roles.filter((role) => started.includes(role) || mayRun(adapter, job, role, counts));
    if (next.length === started.length) break;
    started = next;
  }
  const stuck = job.roles.filter((role) => !started.includes(role)).map(({ name }) => name);
  if (stuck.length === 0) return [];
  const message =
    `${stuck.join(' and ')} would wait for each other forever: startOrder and the default order of ${job.resource.kind}s ` +
    'form a cycle. Add entries for the roles that wait by default, or reverse the order';
  return [{ path: PATH, message }];
}

function gangProblems(adapter: Ordering, job: TrainingJob): Problem[] {
  const { minAvailable } = job.runPolicy.schedulingPolicy ?? {};
  const later = job.roles.filter((role) => isStartDelayed(job, role)).map(({ name }) => name);
  if (minAvailable === undefined || later.length === 0) return [];
  const most = sum(job.roles.filter((role) => leastOf(adapter, job, role) > 0).map(({ replicas }) => replicas));
  if (minAvailable <= most) return [];
  const message =
    `must be at most ${most}: startOrder creates pods of ${later.join(' and ')} only when others run, ` +
    'so a gang that includes them would never start';
  return [{ path: 'spec.runPolicy.schedulingPolicy.minAvailable', message }];
}

/** What a role waits for by the job's order, for messages. */
function awaited(adapter: Ordering, job: TrainingJob, waiting: ReplicaRole, counts: readonly RoleTally[]): string[] {
  const { dependsOn = [], status = 'Running' } = orderOf(job, waiting) ?? {};
  return counts
    .filter(({ role }) => dependsOn.includes(role.name))
    .flatMap(({ role, running, ready, succeeded }) => {
      const are = (status === 'Ready' ? ready : running) + succeeded;
      const least = awaitedReplicas(adapter, job, role);
      return are < least ? `${least} of ${role.name} ${least === 1 ? 'is' : 'are'} ${status} (now ${are})` : [];
    });
}
