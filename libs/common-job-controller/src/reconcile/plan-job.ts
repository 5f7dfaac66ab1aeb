/**
 * The whole behaviour of a job: World in, Plan out, and nothing else. The same World always gives the same Plan, so a
 * case is a table row, and anyone can print the Plan of a manifest without a cluster.
 */
import { SERVICES, type KubeObject, type Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { readJob, runPolicyOf } from '../contract/read-manifest.ts';
import { withLaterCause } from '../failures/kept-failures.ts';
import { jobGang } from '../gang/gang-of.ts';
import { rolesWithOwnGroup } from '../gang/begun-groups.ts';
import { elasticStep } from '../elastic/fit-to-capacity.ts';
import { sizedAsGranted, withSize } from '../elastic/granted-size.ts';
import { lacksFinalizer, planFinalize, planToAddFinalizer } from '../finalize/plan-finalize.ts';
import { missingReferences, planMissingReferences } from '../references/missing-references.ts';
import type { ReadJob } from '../status/stored-status.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import type { JobManifest, TrainingJob } from '../model/training-job.ts';
import { withDependencies } from './dependencies.ts';
import { planCleanUp } from './plan-removal.ts';
import { isFinished } from '../status/conditions.ts';
import { namesTaken } from './write-failures.ts';
import {
  isInvalid,
  planInvalid,
  planKnownInvalid,
  takingBackInvalidSpec,
  whyInvalid,
} from '../policies/invalid-spec.ts';
import { jobReplicas } from '../pods/job-replicas.ts';
import { completed } from '../status/job-status.ts';
import { hasReachedEnd } from '../status/outcome.ts';
import { queueStep } from '../queueing/queue-step.ts';
import { forcedDeletions } from '../policies/lost-nodes.ts';
import { ownershipOf } from '../model/ownership.ts';
import { isStray } from '../pods/stray-pods.ts';
import { planActive } from './plan-active.ts';
import { jobWarnings } from './job-warnings.ts';
import type { JobPassContext, PassContext } from './pass-context.ts';
import { NO_CHANGE, withAdditions, type Decision } from '../model/decision.ts';
import { calls, type Write } from '../model/write.ts';
import type { Plan } from './plan.ts';
import { planOf, withoutStatus } from './plan-of-decision.ts';
import { asLargeAsItIs, isSizeKnown } from '../model/role-size.ts';
import { jobServiceName } from '../network/service-network.ts';
import { planManagedElsewhere } from '../policies/multikueue.ts';
import { jobGraceMs } from '../policies/sidecar-grace.ts';
import { planSuspended } from '../policies/suspension.ts';
import { endOf, planTimeToLive } from '../policies/time-to-live.ts';
import { earliest } from '../model/requeue.ts';
import { planCommand } from '../policies/commands.ts';
import { planBesideRival } from '../policies/rival-controller.ts';
import { planUnapplied, whyUnapplied } from '../policies/unapplied-change.ts';
import type { PlanSettings, World } from './world.ts';

export function planJob(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  const context = { adapter, world, settings };
  const { manifest } = world;
  if (isManagedElsewhere(adapter, manifest)) return withoutStatus(planManagedElsewhere(adapter, world));
  const besideRival = planBesideRival(adapter.lifecycle.rival, world);
  if (besideRival !== undefined) return withoutStatus(besideRival);
  if (manifest.metadata?.deletionTimestamp !== undefined) return planDeleted(context);
  if (lacksFinalizer(adapter, manifest)) return withoutStatus(planToAddFinalizer(adapter));
  const { decision, read } = decide(context);
  return planOf(context, decision, read);
}

/** What is refused is tried again at growing intervals, and reported, as for any other job. */
function planDeleted(context: PassContext): Plan {
  const decision = planFinalize(context.adapter, context.world);
  const { writes } = withDependencies(decision, context.world);
  return writes.every(({ op }) => op === 'removeFinalizer') ? withoutStatus(decision) : planOf(context, decision);
}

interface Decided {
  readonly decision: Decision;
  /** Undefined where the manifest cannot be read. */
  readonly read?: ReadJob;
}

function decide(context: PassContext): Decided {
  const { adapter, world } = context;
  const { manifest, references, nowMs } = world;
  const status = takingBackInvalidSpec(adapter, manifest);
  if (isInvalid(status)) return { decision: planKnownInvalid(context, status) };
  const invalid = whyInvalid(adapter, world, status);
  if (invalid !== undefined) return { decision: planInvalid(context, status, invalid) };
  const missing = missingReferences(world, status);
  if (missing.length > 0) return { decision: planMissingReferences(context, missing) };

  const readable = isFinished(status) ? readEnded(adapter, world) : readJob(adapter, manifest, references);
  if (readable === undefined) {
    return {
      decision: withAdditions(NO_CHANGE, planTimeToLive({ runPolicy: runPolicyOf(adapter, manifest), status }, nowMs)),
    };
  }
  const job = { ...readable, status };
  const { decision, replicas } = decideValid(context, job);
  return { decision: withAdditions(decision, forcedDeletions(job, world)), read: { job, replicas } };
}

/** With the scheduler of its gang, and the groups that it began with. */
function withGang(context: Omit<JobPassContext, 'gang'>): JobPassContext {
  const { job, world, settings, replicas } = context;
  const { wanted } = replicas;
  const found = jobGang(job, settings, world, wanted);
  const own = rolesWithOwnGroup(job, found.gang, world.ownedResources, wanted);
  return { ...context, ...found, job: { ...job, rolesWithOwnGroup: own } };
}

/** With the replicas that the status speaks of: none of a job that is suspended. */
function decideValid(
  context: PassContext,
  read: TrainingJob,
): { readonly decision: Decision; readonly replicas: readonly ReplicaPod[] } {
  const { adapter, world } = context;
  const pods = world.pods.filter((pod) => !isStray(adapter, pod, read));
  const why = whyUnapplied(adapter, world, read);
  const roles = read.roles.map((role) =>
    why === undefined && isSizeKnown(role) ? role : asLargeAsItIs(adapter, read, role, { ...world, pods }),
  );
  const queue = queueStep(context, inService(adapter, { ...read, roles }, world));
  const wished = queue.job;
  const job = sizedAsGranted(adapter, wished);
  const replicas = jobReplicas(adapter, job, pods, world);
  const known = withGang({ ...context, job, replicas, queueLack: queue.lack });
  const { wanted } = replicas;
  const command = planCommand(known);
  if (command.decision !== undefined) {
    return { decision: command.decision, replicas: job.runPolicy.suspend ? [] : wanted };
  }
  const queued = (decision: Decision): Decision =>
    withAdditions(decision, {
      ...(queue.events && { events: queue.events }),
      writes: [...command.deletions, ...queue.writes(wanted)],
      requeueAfterMs: queue.recheckAfterMs,
    });
  if (isFinished(job.status)) return { decision: queued(planFinished(known)), replicas: wanted };
  if (queue.pauseMs !== undefined) {
    return { decision: { ...NO_CHANGE, requeueAfterMs: queue.pauseMs }, replicas: wanted };
  }
  // An end that the pods have reached before they were told to go is no other for a suspension.
  if (job.runPolicy.suspend && !hasReachedEnd(adapter, job, replicas, world)) {
    return { decision: queued(planSuspended(known)), replicas: [] };
  }
  if (queue.hold !== undefined && !hasReachedEnd(adapter, job, replicas, world)) {
    const held = { ...job, runPolicy: { ...job.runPolicy, suspend: true } };
    return { decision: queued(planSuspended({ ...known, job: held }, queue.hold)), replicas: [] };
  }
  if (why !== undefined) return { decision: queued(planUnapplied(known, why)), replicas: wanted };
  const fitting = fittingCapacity(known, wished, pods);
  return { decision: queued(withCalls(planActive(fitting), fitting)), replicas: fitting.replicas.wanted };
}

/** An elastic job with the replicas that it goes on with from now on. */
function fittingCapacity(context: JobPassContext, wished: TrainingJob, pods: readonly Pod[]): JobPassContext {
  const { adapter, job, replicas, world } = context;
  const name = adapter.elastic?.workers?.(job)?.role;
  const role = wished.roles.find((each) => each.name === name);
  if (role === undefined) return context;
  const elastic = elasticStep(adapter, job, replicas.wanted, { wanted: role.replicas, nowMs: world.nowMs });
  if (elastic === undefined || job.roles.some((each) => each.name === name && each.replicas === elastic.size)) {
    return { ...context, elastic };
  }
  const resized = withSize(job, role.name, () => elastic.size);
  return { ...context, elastic, job: resized, replicas: jobReplicas(adapter, resized, pods, world, elastic.givenUp) };
}

/** What the job has to say to the outside comes when it may run, and as long as it has not ended. */
function withCalls(decision: Decision, { adapter, job, replicas, world }: JobPassContext): Decision {
  const status = decision.status?.after ?? job.status;
  if (adapter.facts?.calls === undefined || isFinished(status)) return decision;
  const questions = adapter.facts.calls({ ...job, status }, replicas.wanted, world);
  return withAdditions(decision, { writes: calls(questions) });
}

/** Of a framework with a network of its own: the job's Service goes by a name that nobody else has. */
function inService(adapter: FrameworkAdapter, job: TrainingJob, world: World): TrainingJob {
  const { ownedResources } = adapter;
  if (ownedResources?.inService === undefined) return job;
  const isOwn = (object: KubeObject) => ownershipOf(object, job.metadata.uid) === 'owned';
  const [pods, services] = [world.pods.filter(isOwn), world.services.filter(isOwn)];
  const serviceName = jobServiceName({ job, services, pods, takenServices: namesTaken(world, SERVICES) });
  return { ...job, options: ownedResources.inService(job.options, serviceName) };
}

/**
 * Undefined of a job that has ended and whose spec cannot be read: another operator has run it, or it was changed since. All that is
 * left to do for it is to delete it in time.
 */
function readEnded(adapter: FrameworkAdapter, { manifest, references }: World): TrainingJob | undefined {
  try {
    return readJob(adapter, manifest, references);
  } catch (error) {
    if (adapter.problems(manifest).length === 0) throw error;
    return undefined;
  }
}

const DELETED: { readonly writes: readonly Write[]; readonly requeueAfterMs: undefined } = {
  writes: [{ op: 'deleteJob' }],
  requeueAfterMs: undefined,
};

/** Also of a job that ended under another operator, whose status lacks what Muster shows. */
function planFinished(context: JobPassContext): Decision {
  const { adapter, job, world, replicas } = context;
  const { nowMs } = world;
  const end = adapter.ownedResources?.afterEnd?.(job, world);
  const cleanUp = planCleanUp(context);
  const graceMs = cleanUp.requeueAfterMs ?? (end?.hasSidecars === true ? jobGraceMs(context) : 0);
  const due = end?.deletesJob === true ? DELETED : planTimeToLive(job, nowMs);
  const life = graceMs > 0 && due.writes.length > 0 ? { writes: [], requeueAfterMs: graceMs } : due;
  const isGoing = life.writes.length > 0;
  // Nobody reads the status of a job that goes, and to write it would change the version that is to be deleted.
  const isShown = job.status.state !== undefined || isGoing;
  const known = isGoing ? job.status : withLaterCause(adapter, job, replicas, nowMs);
  const after = isShown ? known : completed(known, endOf(job.status) ?? nowMs);
  return {
    ...NO_CHANGE,
    status: { before: job.status, after },
    events: jobWarnings(end?.warnings, world.told, 'CleanUp'),
    writes: [...cleanUp.writes, ...life.writes, ...calls(end?.calls)],
    requeueAfterMs: earliest(life.requeueAfterMs, end?.recheckAfterMs, cleanUp.requeueAfterMs),
  };
}

/** Not even its status is ours to write. */
export function isManagedElsewhere(adapter: FrameworkAdapter, manifest: JobManifest): boolean {
  if (adapter.lifecycle.isOurs?.(manifest) === false) return true;
  const { managedBy } = runPolicyOf(adapter, manifest);
  return managedBy !== undefined && !adapter.lifecycle.managers.includes(managedBy);
}
